import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const CHECK_MS = 100

/** A plain balancer: each request goes to the next gateway that is ready. It knows nothing of sessions. */
export interface RoundRobin extends AsyncDisposable {
  readonly url: string
  /** Replaces the gateways behind it. */
  use(urls: readonly string[]): void
}

/** What a bad balancer does. */
export interface Badness {
  /** Passes an answer on when it is complete. */
  readonly buffers?: boolean
  /** Cuts streams for notifications after this long, in milliseconds. */
  readonly cutsAfterMs?: number
}

/** Starts one. Gateways that refuse connections are passed over at once, those that are not ready with the next check. */
export async function roundRobin(urls: readonly string[], badness: Badness = {}): Promise<RoundRobin> {
  let all = urls
  const unready = new Set<string>()
  let turn = 0
  const next = (): readonly string[] => {
    const ready = all.filter((url) => !unready.has(url))
    const from = turn++ % Math.max(ready.length, 1)
    return [...ready.slice(from), ...ready.slice(0, from)]
  }
  const server = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => pass(req, res, { body: Buffer.concat(chunks), badness }, next()))
  })
  const check = async (url: string): Promise<void> => {
    const isReady = await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) unready.delete(url)
    else unready.add(url)
  }
  const timer = setInterval(() => all.forEach((url) => void check(url)), CHECK_MS)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    use: (others) => (all = others),
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function pass(
  req: IncomingMessage,
  res: ServerResponse,
  how: { readonly body: Buffer; readonly badness: Badness },
  [url, ...others]: readonly string[],
): void {
  const { body, badness } = how
  if (url === undefined) return void res.writeHead(503).end()
  const { host: _, connection: __, 'transfer-encoding': ___, ...headers } = req.headers
  const sent = request(`${url}${req.url}`, {
    method: req.method,
    headers: { ...headers, ...(body.length > 0 && { 'content-length': body.length }), 'x-forwarded-for': '192.0.2.7' },
    agent: false,
  })
  res.on('close', () => sent.destroy())
  sent.on('response', (answer) => {
    answer.on('error', () => res.destroy())
    if (badness.buffers === true) return bufferInto(res, answer)
    res.writeHead(answer.statusCode ?? 502, answer.headers)
    res.flushHeaders()
    answer.pipe(res)
    if (badness.cutsAfterMs !== undefined && req.method === 'GET') setTimeout(() => res.destroy(), badness.cutsAfterMs)
  })
  sent.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNREFUSED' && !res.destroyed) pass(req, res, how, others)
    else if (res.headersSent) res.destroy()
    else res.writeHead(502).end()
  })
  sent.end(body)
}

function bufferInto(res: ServerResponse, answer: IncomingMessage): void {
  const chunks: Buffer[] = []
  answer.on('data', (chunk: Buffer) => chunks.push(chunk))
  answer.on('end', () => res.writeHead(answer.statusCode ?? 502, answer.headers).end(Buffer.concat(chunks)))
}
