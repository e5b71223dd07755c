/**
 * The thread in which SQLite works. Node's SQLite answers at once or not at all: what it does in here keeps no call
 * waiting, however long the disk takes.
 */
import { statSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { isIntact } from './integrity.ts'
import { StatementCache } from './statement-cache.ts'
import type { ThreadAnswer, ThreadRequest, ThreadSetup } from './thread-messages.ts'

const { path, connections } = workerData as ThreadSetup
const open = new Map<string, { readonly database: DatabaseSync; readonly statements: StatementCache }>()

/** Whoever waits in here keeps all that use the thread waiting. Longer waits are made of many attempts. */
const BUSY_TIMEOUT_MS = 1

function openAll(): unknown[] {
  const isNew = statSync(path).size === 0
  for (const [name, pragmas] of Object.entries(connections)) {
    const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true })
    open.set(name, { database, statements: new StatementCache(database) })
    if (open.size === 1 && !isNew && !isIntact(database, path)) return [{ intact: 0 }]
    for (const pragma of pragmas) database.exec(`pragma ${pragma}`)
  }
  return [{ intact: 1 }]
}

function closeAll(): unknown[] {
  for (const { database } of open.values()) database.close()
  open.clear()
  return []
}

function run(request: Extract<ThreadRequest, { kind: 'run' }>): Omit<ThreadAnswer, 'id'> {
  const connection = open.get(request.connection)
  if (connection === undefined) throw new Error('The connection is closed')
  // SQLite undoes a transaction by itself when the disk is full.
  if (request.sql === 'rollback' && !connection.database.isTransaction) return { rows: [] }
  const { statement, answersRows } = connection.statements.prepare(request.sql)
  const values = request.parameters as readonly SQLInputValue[]
  if (answersRows) return { rows: statement.all(...values) }
  return { rows: [], changes: Number(statement.run(...values).changes) }
}

function answer(request: ThreadRequest): Omit<ThreadAnswer, 'id'> {
  if (request.kind === 'run') return run(request)
  return { rows: request.kind === 'open' ? openAll() : closeAll() }
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
