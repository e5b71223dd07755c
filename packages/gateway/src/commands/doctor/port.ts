import { createServer } from 'node:net'
import type { ListenConfig } from '../../config/gateway-config.ts'
import type { RunningGateway } from '../running-gateway.ts'
import { type Finding, fine, wrong } from './finding.ts'

/** Whether the gateway listens, or could. */
export async function lookAtPort({ host, port }: ListenConfig, running: RunningGateway | undefined): Promise<Finding> {
  if (running !== undefined) return fine('gateway', `runs at ${running.url}`)
  const code = await tryToListen(host, port)
  if (code === undefined) return fine('gateway', `does not run now; ${host}:${port} is free`)
  if (code === 'EADDRINUSE') {
    return wrong('gateway', `does not run, and another program has port ${port}`, 'Take another: --port or listen.port')
  }
  return wrong('gateway', `cannot listen on ${host}:${port} (${code})`, 'Correct listen.host and listen.port')
}

function tryToListen(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    probe.listen(port, host, () => probe.close(() => resolve(undefined)))
  })
}
