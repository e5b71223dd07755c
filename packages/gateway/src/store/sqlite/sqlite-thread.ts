/**
 * The entry point of the worker thread for slow statements, which would otherwise block the event loop of the gateway.
 */
import { parentPort, workerData } from 'node:worker_threads'
import type { ThreadAnswer, ThreadRequest } from './sqlite-background.ts'
import { type ConnectionSetup, SqliteConnections, type StatementAnswer } from './sqlite-connections.ts'

const connections = new SqliteConnections(workerData as ConnectionSetup)
let isOpen = false

function answer(request: ThreadRequest): StatementAnswer {
  if (request.kind === 'close') {
    connections.close()
    return { rows: [] }
  }
  if (!isOpen) connections.open({ isChecked: false })
  isOpen = true
  return request.kind === 'run' ? connections.run(request.connection, request.sql, request.parameters) : { rows: [] }
}

parentPort?.on('message', (request: ThreadRequest) => {
  const { id } = request
  try {
    parentPort?.postMessage({ id, ...answer(request) })
  } catch (error) {
    const { code, errcode, message } = error as Error & { code?: string; errcode?: number }
    parentPort?.postMessage({ id, rows: [], error: { code, errcode, message } } satisfies ThreadAnswer)
  }
})
