import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { dropRest, drainServer, isLocal, isLoopbackHost, isRepeated, listen, readBody } from '@tooldex/http-kit/server'
import type { SearchApiOptions } from '../options.ts'
import { createSearchApi, type SearchApi } from '../search-api.ts'
import { type Incoming, onlyValue, type Outgoing } from './messages.ts'

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
  /** Accepts no more connections, gives open requests two seconds to finish, and closes. */
  close(): Promise<void>
}

/** Limits for clients that send slowly. */
const TIMEOUTS = {
  maxHeaderSize: 16_384,
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 60_000,
  connectionsCheckingInterval: 5_000,
} as const
const DRAIN_MS = 2_000

/** Makes the service and listens for requests. */
export async function listenSearchApi(options: ListenOptions): Promise<ListeningSearchApi> {
  const api = createSearchApi(options)
  const server = createServer(TIMEOUTS)
  server.on('request', (req, res) => void serve(server, api, req, res))
  try {
    const { url, port } = await listen(server, options.host ?? '127.0.0.1', options.port ?? 7421)
    const close = async (): Promise<void> => {
      const closed = api.close()
      await drainServer(server, DRAIN_MS)
      await closed
    }
    return { url, port, close }
  } catch (error) {
    await api.close()
    throw error
  }
}

async function serve(server: Server, api: SearchApi, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const gone = new AbortController()
  res.once('close', () => {
    if (!res.writableFinished) gone.abort()
  })
  const outgoing = await api.answer(incomingFrom(req, gone.signal))
  if (!server.listening) res.setHeader('connection', 'close')
  if (!res.destroyed) send(req, res, outgoing)
}

function incomingFrom(req: IncomingMessage, signal: AbortSignal): Incoming {
  return {
    method: req.method ?? '',
    path: (req.url ?? '').replace(/[?#].*$/s, ''),
    parameter: (name) => onlyValue(/\?[^#]*/.exec(req.url ?? '')?.[0] ?? '', name),
    header: (name) => {
      const value = isRepeated(req, name) ? undefined : req.headers[name]
      return Array.isArray(value) ? value[0] : value
    },
    // By a loopback name, too: the browser sends another one for a web page whose name resolves to this machine.
    isLocal: isLocal(req) && isLoopbackHost(req.headers.host),
    signal,
    readBody: (maxBytes) => readBody(req, maxBytes, req.headers['content-length']),
  }
}

function send(req: IncomingMessage, res: ServerResponse, { status, headers, body }: Outgoing): void {
  dropRest(req, res)
  res.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
  res.end(req.method === 'HEAD' ? undefined : body)
}
