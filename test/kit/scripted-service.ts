// An HTTP service on the loopback interface with scripted answers.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request to the service; the body is read as JSON. */
export interface Asked<Body> {
  readonly method: string | undefined
  readonly path: string | undefined
  readonly authorization: string | undefined
  readonly text: string
  readonly body: Body
}

/** Answers a request. */
export type Behaviour<Body> = (asked: Asked<Body>, res: ServerResponse) => void

/** A service that runs. */
export interface ScriptedService<Body> {
  readonly url: string
  readonly host: string
  readonly asked: readonly Asked<Body>[]
  /** Replaces the behaviour. */
  behave(behaviour: Behaviour<Body>): void
  close(): Promise<void>
}

/** An answer with this text. */
export function send(res: ServerResponse, status: number, text: string, headers: Record<string, string> = {}): void {
  res.writeHead(status, { 'content-type': 'application/json', ...headers })
  res.end(text)
}

/** Starts a service, on a free port unless one is given. */
export async function startService<Body>(behaviour: Behaviour<Body>, port = 0): Promise<ScriptedService<Body>> {
  const asked: Asked<Body>[] = []
  let current = behaviour
  const server = createServer((req, res) => {
    void readBody(req).then((text) => {
      const { method, url: path, headers } = req
      const entry = { method, path, authorization: headers.authorization, text, body: JSON.parse(text) as Body }
      asked.push(entry)
      current(entry, res)
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `http://${host}`,
    host,
    asked,
    behave: (next) => {
      current = next
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function readBody(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
