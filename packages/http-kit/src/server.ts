import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'

/** How long a client may read the answer to a request that was not read to its end, before the connection is cut. */
const LINGER_MS = 500
const SWEEP_MS = 50
const LOOPBACK = /^(?:::ffff:)?127(?:\.\d{1,3}){3}$|^::1$/
const LOOPBACK_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i

/** Where a server listens. */
export interface ListenAddress {
  readonly host: string
  readonly port: number
  readonly url: string
}

/** Resolves once the server accepts connections; port 0 = any free one. */
export async function listen(server: Server, host: string, port: number): Promise<ListenAddress> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve(void server.off('error', reject)))
  })
  const address = server.address() as AddressInfo
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return { host: address.address, port: address.port, url: `http://${name}:${address.port}` }
}

/** Accepts no more connections, waits up to `drainMs` for open requests, then closes all connections. */
export async function drainServer(server: Server, drainMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  // A connection becomes idle when its last request is answered; Node would keep it for the next one.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS)
  const limit = setTimeout(() => server.closeAllConnections(), drainMs)
  await closed
  clearInterval(sweep)
  clearTimeout(limit)
}

/** A body that cannot be read: larger than the limit, or the connection ended before the body did. */
export class BodyError extends Error {
  override readonly name = 'BodyError'
  readonly kind: 'too-large' | 'incomplete'

  constructor(kind: BodyError['kind']) {
    super(kind === 'too-large' ? 'the body is larger than the limit' : 'the body did not arrive completely')
    this.kind = kind
  }
}

/**
 * All bytes of a body, never holding more than `maxBytes`. A body that is too large is left unread, so that the connection
 * can still carry the answer.
 * @throws BodyError
 */
export function readBody(body: Readable, maxBytes: number, contentLength?: string | null): Promise<Buffer> {
  if (Number(contentLength ?? 0) > maxBytes) return Promise.reject(new BodyError('too-large'))
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let size = 0
    const onData = (chunk: Uint8Array): void => {
      size += chunk.byteLength
      if (size <= maxBytes) return void chunks.push(chunk)
      body.off('data', onData).pause()
      reject(new BodyError('too-large'))
    }
    body.on('data', onData)
    let isOver = false
    const onEnd = (): void => {
      isOver = true
      resolve(Buffer.concat(chunks, size))
    }
    // Every body closes. An error made for it would cost a stack trace with each request.
    const onBreak = (): void => void (isOver || reject(new BodyError('incomplete')))
    body.on('end', onEnd).on('error', onBreak).on('close', onBreak)
  })
}

/**
 * Drops the rest of a request that is answered before its end. A client that goes on sending for long is cut off; without
 * reading on, the connection would be reset, and the client might lose the answer.
 */
export function dropRest(req: IncomingMessage, res: ServerResponse): void {
  if (req.complete) return
  req.resume()
  // By the time the answer is sent, the request may have lost its socket.
  const { socket } = req
  res.once('finish', () => {
    if (req.complete) return
    const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref()
    const stop = (): void => {
      clearTimeout(timer)
      req.off('end', stop)
      socket.off('close', stop)
    }
    req.once('end', stop)
    socket.once('close', stop)
  })
}

/** The part of a request that shows where it comes from. */
export interface RequestSource {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly socket: { readonly remoteAddress?: string | undefined }
}

/** Headers that proxies and content delivery networks add; each of them shows that a request was passed on. */
const PROXY_HEADERS: ReadonlySet<string> = new Set([
  ...['forwarded', 'via', 'x-real-ip', 'x-original-host', 'x-original-url', 'x-original-forwarded-for'],
  ...['x-proxyuser-ip', 'x-envoy-external-address', 'x-azure-clientip', 'x-appengine-user-ip'],
  ...['cf-connecting-ip', 'cf-connecting-ipv6', 'cf-ray', 'cdn-loop'],
])

/** `X-Forwarded-For`, `-Host`, `-Proto` and whatever else proxies invent. */
const FORWARDED_PREFIX = 'x-forwarded'
/** `Client-IP`, `True-`, `X-`, `Fastly-`, `Fly-Client-IP` and so on. */
const CLIENT_SUFFIX = 'client-ip'

/**
 * Whether a request comes from this machine, and not through a proxy on it. A balancer that passes on connections and
 * adds no header cannot be told from this machine.
 */
export function isLocal({ headers, socket }: RequestSource): boolean {
  if (!LOOPBACK.test(socket.remoteAddress ?? '')) return false
  for (const name in headers) {
    if (PROXY_HEADERS.has(name) || name.startsWith(FORWARDED_PREFIX) || name.endsWith(CLIENT_SUFFIX)) return false
  }
  return true
}

/** Whether a request has a header twice. Node keeps the first of two `Authorization` headers, other readers the last. */
export function isRepeated({ rawHeaders }: { readonly rawHeaders: readonly string[] }, name: string): boolean {
  let isFound = false
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const each = rawHeaders[at]
    if (each?.length !== name.length || each.toLowerCase() !== name) continue
    if (isFound) return true
    isFound = true
  }
  return false
}

/** Whether a `Host` header names this machine by a loopback name, which no DNS record of a web page can. */
export function isLoopbackHost(host: string | undefined): boolean {
  return LOOPBACK_HOST.test(host ?? '')
}
