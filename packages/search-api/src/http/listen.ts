import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { SearchApiOptions } from '../options.ts'
import { createSearchApi, type SearchApi } from '../search-api.ts'
import { checkLength, collect } from './chunks.ts'
import type { Incoming, Outgoing } from './exchange.ts'

/** Where the service listens. */
export interface ListenOptions extends SearchApiOptions {
  /** Default 127.0.0.1. */
  readonly host?: string
  /** Default 7421; 0 = any free one. */
  readonly port?: number
}

/** A service that listens. */
export interface ListeningSearchApi {
  readonly url: string
  readonly port: number
  /** Takes no more connections, gives open requests a moment to finish, and ends. */
  close(): Promise<void>
}

/** For clients that send slowly, on purpose or not. */
const PATIENCE = {
  maxHeaderSize: 16_384,
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 60_000,
  connectionsCheckingInterval: 5_000,
} as const
const DRAIN_MS = 2_000
/** How long a client that sent too much may take to read that it did, before the connection is cut. */
const LINGER_MS = 500
const LOOPBACK = /^(?:127\.|::1$|::ffff:127\.)/
const LOOPBACK_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i

/** Makes the service and listens for requests. */
export async function listenSearchApi(options: ListenOptions): Promise<ListeningSearchApi> {
  const api = createSearchApi(options)
  const server = createServer(PATIENCE)
  server.on('request', (req, res) => void serve(server, api, req, res))
  const { host = '127.0.0.1', port = 7421 } = options
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, host, () => resolve(void server.off('error', reject)))
    })
  } catch (error) {
    api.close()
    throw error
  }
  const address = server.address() as AddressInfo
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return { url: `http://${name}:${address.port}`, port: address.port, close: () => close(server, api) }
}

async function serve(server: Server, api: SearchApi, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const gone = new AbortController()
  res.once('close', () => {
    if (!res.writableFinished) gone.abort()
  })
  const outgoing = await api.answer(incomingFrom(req, gone.signal))
  // Who is about to close does not wait for a next request.
  if (!server.listening) res.setHeader('connection', 'close')
  if (!res.destroyed) send(req, res, outgoing)
}

function incomingFrom(req: IncomingMessage, signal: AbortSignal): Incoming {
  return {
    method: req.method ?? '',
    path: (req.url ?? '').replace(/[?#].*$/s, ''),
    header: (name) => {
      const value = req.headers[name]
      return Array.isArray(value) ? value[0] : value
    },
    isLocal: isLocal(req),
    signal,
    readBody: async (maxBytes) => {
      checkLength(req.headers['content-length'], maxBytes)
      // Leaving the loop early must not close the connection: the answer says what was wrong.
      return collect(req.iterator({ destroyOnReturn: false }), maxBytes)
    },
  }
}

function send(req: IncomingMessage, res: ServerResponse, { status, headers, body }: Outgoing): void {
  const isUnread =
    !req.complete && (Number(req.headers['content-length'] ?? 0) > 0 || 'transfer-encoding' in req.headers)
  if (isUnread) {
    req.pause()
    res.setHeader('connection', 'close')
    res.once('finish', () => {
      const timer = setTimeout(() => req.socket.destroy(), LINGER_MS).unref()
      req.socket.once('close', () => clearTimeout(timer))
    })
  }
  res.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
  res.end(req.method === 'HEAD' ? undefined : body)
}

/** From this machine and by its own name: a proxy passes on what comes from elsewhere, a web page uses another name. */
function isLocal({ socket, headers }: IncomingMessage): boolean {
  const isForwarded = 'forwarded' in headers || 'x-forwarded-for' in headers
  return !isForwarded && LOOPBACK.test(socket.remoteAddress ?? '') && LOOPBACK_HOST.test(headers.host ?? '')
}

async function close(server: Server, api: SearchApi): Promise<void> {
  api.close()
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  const impatience = setTimeout(() => server.closeAllConnections(), DRAIN_MS)
  await closed
  clearTimeout(impatience)
}
