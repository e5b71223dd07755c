/** One PostgreSQL for a test run: it starts when the first test asks for it, and ends with the run. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { TestProject } from 'vitest/node'
import { type PostgresServer, startPostgres } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers with the address of the server, as soon as it runs. */
    postgresAddress: string
  }
}

/** Serves the address of the server to tests, over HTTP; stops both in the end. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let server: Promise<PostgresServer> | undefined
  const broker = createServer((_request, response) => {
    server ??= startPostgres()
    server.then(
      ({ url }) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  broker.listen(0, '127.0.0.1')
  await once(broker, 'listening')
  const address = broker.address()
  if (address === null || typeof address === 'string') throw new Error('No free port')
  project.provide('postgresAddress', `http://127.0.0.1:${address.port}`)
  return async () => {
    broker.closeAllConnections()
    broker.close()
    await (await server?.catch(() => undefined))?.stop()
  }
}
