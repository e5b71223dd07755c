// A Search API on the loopback interface that answers as it is told, well or badly.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { SearchApiRequest } from '@tooldex/contract/search-api'

/** What a service was asked. */
export interface Asked {
  readonly method: string | undefined
  readonly path: string | undefined
  readonly authorization: string | undefined
  readonly text: string
  readonly body: SearchApiRequest
}

/** Answers a request. */
export type Behaviour = (asked: Asked, res: ServerResponse) => void

/** A service that runs. */
export interface ScriptedService {
  readonly url: string
  readonly host: string
  readonly asked: readonly Asked[]
  /** From now on it answers like this. */
  behave(behaviour: Behaviour): void
  close(): Promise<void>
}

/** Finds every tool that it was sent, in that order. */
export const findsAll: Behaviour = ({ body }, res) =>
  sendResults(
    res,
    body.tools.map((tool, index) => ({ ...tool, relevance: 1 / (index + 1), explanation: 'it was sent' })),
  )

/** An answer with these results. */
export function sendResults(res: ServerResponse, results: readonly unknown[], more: object = {}): void {
  send(res, 200, JSON.stringify({ results, answeredBy: 'hybrid', ...more }))
}

/** An answer with this text. */
export function send(res: ServerResponse, status: number, text: string, headers: Record<string, string> = {}): void {
  res.writeHead(status, { 'content-type': 'application/json', ...headers })
  res.end(text)
}

/** Starts a service, on a free port unless one is given. */
export async function startScriptedService(behaviour: Behaviour = findsAll, port = 0): Promise<ScriptedService> {
  const asked: Asked[] = []
  let current = behaviour
  const server = createServer((req, res) => {
    void readBody(req).then((text) => {
      const { method, url: path, headers } = req
      const entry = { method, path, authorization: headers.authorization, text, body: JSON.parse(text) }
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
