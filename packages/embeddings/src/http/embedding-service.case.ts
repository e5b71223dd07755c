// An embedding service on the loopback interface that answers as it is told, well or badly.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a service was asked. */
export interface Asked {
  readonly path: string
  readonly authorization: string | undefined
  readonly body: { readonly model: string; readonly input: readonly string[]; readonly dimensions?: number }
}

/** Answers a request. */
export type Behaviour = (asked: Asked, res: ServerResponse) => void

/** A service that runs. */
export interface EmbeddingService {
  readonly url: string
  readonly host: string
  readonly asked: readonly Asked[]
  /** From now on it answers like this. */
  behave(behaviour: Behaviour): void
  close(): Promise<void>
}

/** Vectors of three numbers: how many letters, vowels and spaces. */
const wellBehaved: Behaviour = ({ body }, res) =>
  sendVectors(
    res,
    body.input.map((text) => [text.length, text.match(/[aeiou]/g)?.length ?? 0, text.split(' ').length]),
  )

/** An answer with these vectors, in the form of the OpenAI API. */
export function sendVectors(res: ServerResponse, vectors: readonly unknown[]): void {
  const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }))
  send(res, 200, JSON.stringify({ object: 'list', data, model: 'm', usage: {} }))
}

/** An answer with this text. */
export function send(res: ServerResponse, status: number, text: string, headers: Record<string, string> = {}): void {
  res.writeHead(status, { 'content-type': 'application/json', ...headers })
  res.end(text)
}

/** Starts a service on a free port. */
export async function startEmbeddingService(behaviour: Behaviour = wellBehaved): Promise<EmbeddingService> {
  const asked: Asked[] = []
  let current = behaviour
  const server = createServer((req, res) => {
    void readBody(req).then((text) => {
      const entry = { path: req.url ?? '', authorization: req.headers.authorization, body: JSON.parse(text) }
      asked.push(entry)
      current(entry, res)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
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
