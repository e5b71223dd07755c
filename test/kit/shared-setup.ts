/** What all tests of a run share. Each part is made when the first test asks for it, and ends with the run. */
import { once } from 'node:events'
import { readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { bundleProgram, PROGRAM } from '../../scripts/bundle-program.ts'
import { ROOT } from '../../scripts/packages.ts'
import { type PostgresServer, startPostgres } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers at `/postgres` with the address of the server, at `/program` with the path of the bundle's entry. */
    shared: string
  }
}

/** Removes bundles of runs that were killed. */
function removeLeftovers(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = /^\.bundle-(\d+)$/.exec(name)?.[1]
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(folder, name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Serves the shared parts to tests, over HTTP; ends them in the end. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let server: Promise<PostgresServer> | undefined
  let bundled: Promise<unknown> | undefined
  // Beside `dist`, which tests of packages build anew. Of this run alone: another one may run in the same folder.
  const bundle = join(ROOT, PROGRAM, `.bundle-${process.pid}`)
  const parts: Readonly<Record<string, () => Promise<string>>> = {
    '/postgres': async () => (await (server ??= startPostgres())).url,
    '/program': async () => {
      if (bundled === undefined) removeLeftovers(join(ROOT, PROGRAM))
      await (bundled ??= bundleProgram(bundle))
      return join(bundle, 'main.js')
    },
  }
  const broker = createServer((request, response) => {
    const part = parts[request.url ?? ''] ?? (() => Promise.reject(new Error(`Nothing is shared at ${request.url}`)))
    part().then(
      (text) => response.end(text),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  broker.listen(0, '127.0.0.1')
  await once(broker, 'listening')
  const address = broker.address()
  if (address === null || typeof address === 'string') throw new Error('No free port')
  project.provide('shared', `http://127.0.0.1:${address.port}`)
  return async () => {
    broker.closeAllConnections()
    broker.close()
    await bundled?.catch(() => undefined)
    rmSync(bundle, { recursive: true, force: true })
    await (await server?.catch(() => undefined))?.stop()
  }
}
