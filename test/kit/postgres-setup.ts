/** One PostgreSQL for a test run: it starts when the first test asks for it, and ends with the run. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { TestProject } from 'vitest/node'
import { type PostgresServer, startPostgres } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers with the address of the server, as soon as it runs. */
    postgresDesk: string
  }
}

/** Opens the desk where tests ask for the server; closes it, and stops the server, in the end. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let server: Promise<PostgresServer> | undefined
  const desk = createServer((_request, response) => {
    server ??= startPostgres()
    server.then(
      ({ url }) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  desk.listen(0, '127.0.0.1')
  await once(desk, 'listening')
  const address = desk.address()
  if (address === null || typeof address === 'string') throw new Error('No free port')
  project.provide('postgresDesk', `http://127.0.0.1:${address.port}`)
  return async () => {
    desk.closeAllConnections()
    desk.close()
    await (await server?.catch(() => undefined))?.stop()
  }
}
