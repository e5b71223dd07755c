import type { IncomingMessage, ServerResponse } from 'node:http'
import { ADMIN_BASE } from '@tooldex/contract'
import { dropRest } from '@tooldex/http-kit/server'
import { AttemptLimit } from '../../clients/http/guards.ts'
import { readBytes } from '../../clients/http/request-body.ts'
import { writeResponse } from '../../clients/sdk/web-bridge.ts'
import { GatewayError } from '../../errors.ts'
import type { RefusedRequest } from '../../audit/refusals.ts'
import type { AdminAccess } from '../access/admin-access.ts'
import type { AdminLog } from '../routes/admin-context.ts'
import type { AdminApi } from './admin-api.ts'

/** The dependencies of {@link AdminEntry}. */
export interface AdminEntryParts {
  readonly access: AdminAccess
  /** Creates a one-time code that signs a browser in. */
  readonly signInCode: () => string
  /** Loads the API with the first request. */
  readonly load: () => Promise<AdminApi>
  readonly log: AdminLog
  /** Called for every refused request; sign-ins are those of the console. */
  readonly onRefused?: (refused: RefusedRequest) => void
  /** Subscribes to token changes, so that the streams of a revoked token end. Returns the function that unsubscribes. */
  readonly onTokensChanged: (listener: () => void) => () => void
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
}

/** The one route that authenticates its callers by itself. */
const SIGN_IN = `${ADMIN_BASE}/session`
const IMPORT = `${ADMIN_BASE}/import`
/** No event reports that a token expired: a timer ends its streams within a second. */
const SWEEP_MS = 500
const MOST_BYTES = 4 * 1024 * 1024
const MOST_IMPORTED = 20 * 1024 * 1024
/** The limit for unauthenticated callers. */
const MOST_TO_SIGN_IN = 16 * 1024

/** The HTTP entry point of the admin API: authenticates requests to `/api/v1` and passes them on. */
export class AdminEntry {
  readonly #parts: AdminEntryParts
  readonly #attempts: AttemptLimit
  /** GET requests whose response has not ended, such as streams. */
  readonly #open = new Map<AbortController, Pick<Request, 'method' | 'headers'>>()
  #api: Promise<AdminApi> | undefined
  #endWatch: (() => void) | undefined

  constructor(parts: AdminEntryParts) {
    this.#parts = parts
    this.#attempts = new AttemptLimit(parts.now)
  }

  /** Creates a one-time code that signs a browser in. */
  signInCode(): string {
    return this.#parts.signInCode()
  }

  /** Answers a request; calls `proven` when the sender is authenticated. */
  async handle(req: IncomingMessage, res: ServerResponse, proven: () => void = () => undefined): Promise<void> {
    const response = await this.#answer(req, res, proven)
    dropRest(req, res)
    try {
      await writeResponse(res, response)
    } catch {
      // A truncated response must not look complete.
      res.destroy()
    }
  }

  /** Ends all streams. */
  close(): void {
    for (const controller of this.#open.keys()) controller.abort()
  }

  async #answer(req: IncomingMessage, res: ServerResponse, proven: () => void): Promise<Response> {
    const { access, log } = this.#parts
    const address = req.socket.remoteAddress ?? ''
    const path = (req.url ?? '/').split('?', 1)[0]
    const isSignIn = req.method === 'POST' && path === SIGN_IN
    try {
      const headers = headersOf(req)
      // The body of an unauthenticated request is not read.
      const caller = isSignIn ? undefined : access.callerOf({ method: req.method ?? 'GET', headers })
      if (caller === undefined) access.checkSignIn({ headers })
      else proven()
      const body = hasBody(req) ? await readBytes(req, mostBytes(path, isSignIn)) : undefined
      const api = await this.#load()
      const signal = this.#signalFor(req, res, headers)
      const response = await api(requestOf(req, headers, body, signal), caller)
      if (isSignIn && response.status === 401) {
        this.#refused(address, 'TOKEN_INVALID', isSignIn)
        this.#attempts.failed(address)
      }
      return response
    } catch (error) {
      const { problemResponse } = await import('./problem-response.ts')
      const told = this.#counted(error, address)
      if (error instanceof GatewayError) this.#refused(address, error.code, isSignIn)
      return problemResponse(told, log, retryAfter)
    }
  }

  #refused(address: string, code: string, isSignIn: boolean): void {
    this.#parts.onRefused?.({ address, code, transport: isSignIn ? 'console' : 'admin-api' })
  }

  #load(): Promise<AdminApi> {
    this.#api ??= this.#parts.load().catch((error: unknown) => {
      this.#api = undefined
      throw error
    })
    return this.#api
  }

  /** Aborts when the client disconnects or loses its access. */
  #signalFor({ method = 'GET' }: IncomingMessage, res: ServerResponse, headers: Headers): AbortSignal {
    const controller = new AbortController()
    if (method === 'GET') this.#open.set(controller, { method, headers })
    this.#endWatch ??= this.#watch()
    res.once('close', () => {
      controller.abort()
      this.#open.delete(controller)
      if (this.#open.size > 0) return
      this.#endWatch?.()
      this.#endWatch = undefined
    })
    return controller.signal
  }

  /** Ends streams whose token or session is no longer valid, as long as any stream is open. */
  #watch(): () => void {
    const sweep = (): void => {
      for (const [controller, request] of this.#open) {
        if (!this.#parts.access.isStillValid(request)) controller.abort()
      }
    }
    const timer = setInterval(sweep, SWEEP_MS).unref()
    const endListening = this.#parts.onTokensChanged(sweep)
    return () => {
      clearInterval(timer)
      endListening()
    }
  }

  /** Counts invalid tokens by address. */
  #counted(error: unknown, address: string): unknown {
    if (!(error instanceof GatewayError) || error.code !== 'TOKEN_INVALID') return error
    try {
      this.#attempts.failed(address)
      return error
    } catch (tooMany) {
      return tooMany
    }
  }
}

function mostBytes(path: string | undefined, isSignIn: boolean): number {
  if (isSignIn) return MOST_TO_SIGN_IN
  return path === IMPORT ? MOST_IMPORTED : MOST_BYTES
}

function retryAfter({ details }: GatewayError): Record<string, string> {
  const seconds = details['retryAfterSeconds']
  return seconds === undefined ? {} : { 'retry-after': String(seconds) }
}

function headersOf(req: IncomingMessage): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(req.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  return headers
}

const hasBody = ({ method }: IncomingMessage): boolean => method !== 'GET' && method !== 'HEAD'

/** Methods that the `Request` class refuses. */
const UNSUPPORTED_METHODS: ReadonlySet<string> = new Set(['CONNECT', 'TRACE', 'TRACK'])

/** The host is fixed: the guards have checked the `Host` header, and an invalid one would make no URL. */
function requestOf(req: IncomingMessage, headers: Headers, body: Buffer | undefined, signal: AbortSignal): Request {
  const { method = 'GET', url = '/' } = req
  if (UNSUPPORTED_METHODS.has(method)) {
    throw new GatewayError('METHOD_NOT_ALLOWED', { allowed: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] })
  }
  return new Request(`http://gateway${url}`, {
    method,
    headers,
    signal,
    ...(body !== undefined && { body: new Uint8Array(body) }),
  })
}
