import type { IncomingMessage, ServerResponse } from 'node:http'
import { ADMIN_BASE } from '@tooldex/contract'
import type { AdminAccess } from '../access/admin-access.ts'
import type { AdminApi } from './admin-api.ts'
import type { AdminLog } from '../routes/admin-context.ts'
import { GatewayError } from '../../errors.ts'
import { AttemptLimit } from '../../clients/http/attempt-limit.ts'
import { closeAfterUnread, readBytes } from '../../clients/http/request-body.ts'
import { writeResponse } from '../../clients/sdk/web-bridge.ts'

/** What the admin API needs to be reached. */
export interface AdminEntryParts {
  readonly access: AdminAccess
  /** A code that signs a browser in, once and soon. */
  readonly signInCode: () => string
  /** Loads the API; called with the first request and not before. */
  readonly load: () => Promise<AdminApi>
  readonly log: AdminLog
  /** Calls back whenever tokens may have changed: what a revoked one had opened ends then. Answers how to end that. */
  readonly onTokensChanged: (listener: () => void) => () => void
  /** Milliseconds of any clock that does not go back. */
  readonly now: () => number
}

/** The one route that proves by itself who asks. */
const SIGN_IN = `${ADMIN_BASE}/session`
const IMPORT = `${ADMIN_BASE}/import`
/** Expiry is told by nobody; streams end within a second of it. */
const SWEEP_MS = 500
const MOST_BYTES = 4 * 1024 * 1024
const MOST_IMPORTED = 20 * 1024 * 1024
/** Of somebody who has not said yet who it is. */
const MOST_TO_SIGN_IN = 16 * 1024

/** Brings requests to `/api/v1` to the admin API: who calls is proven here, what is asked is read there. */
export class AdminEntry {
  readonly #parts: AdminEntryParts
  readonly #attempts: AttemptLimit
  /** Requests that are not answered to their end, such as streams, and who sent them. */
  readonly #open = new Map<AbortController, Pick<Request, 'method' | 'headers'>>()
  #api: Promise<AdminApi> | undefined
  #endWatch: (() => void) | undefined

  constructor(parts: AdminEntryParts) {
    this.#parts = parts
    this.#attempts = new AttemptLimit(parts.now)
  }

  /** A code that signs a browser in, once and soon. */
  signInCode(): string {
    return this.#parts.signInCode()
  }

  /** Answers a request; `proven` is called when it is known who sent it. */
  async handle(req: IncomingMessage, res: ServerResponse, proven: () => void = () => undefined): Promise<void> {
    const response = await this.#answer(req, res, proven)
    closeAfterUnread(req, res)
    try {
      await writeResponse(res, response)
    } catch {
      // What broke off must not look like what came to its end.
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
      // Nobody's body is read before it is known whose it is.
      const caller = isSignIn ? undefined : access.callerOf({ method: req.method ?? 'GET', headers })
      if (caller === undefined) access.checkSignIn({ headers })
      else proven()
      const body = hasBody(req) ? await readBytes(req, mostBytes(path, isSignIn)) : undefined
      const api = await this.#load()
      const signal = this.#signalFor(req, res, headers)
      const response = await api(requestOf(req, headers, body, signal), caller)
      if (isSignIn && response.status === 401) this.#attempts.failed(address)
      return response
    } catch (error) {
      const { problemResponse } = await import('./problem-response.ts')
      return problemResponse(this.#counted(error, address), log, retryAfter)
    }
  }

  #load(): Promise<AdminApi> {
    this.#api ??= this.#parts.load().catch((error: unknown) => {
      this.#api = undefined
      throw error
    })
    return this.#api
  }

  /** Aborts when the client goes away, and when it may not stay. */
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

  /** While anything is open, ends what was opened with a token or session that is good no more. */
  #watch(): () => void {
    const sweep = (): void => {
      for (const [controller, request] of this.#open) {
        if (!this.#parts.access.isStillGood(request)) controller.abort()
      }
    }
    const timer = setInterval(sweep, SWEEP_MS).unref()
    const endListening = this.#parts.onTokensChanged(sweep)
    return () => {
      clearInterval(timer)
      endListening()
    }
  }

  /** Wrong secrets are counted by address; right ones never are. */
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

/** What the web's requests cannot be. */
const NOT_TAKEN: ReadonlySet<string> = new Set(['CONNECT', 'TRACE', 'TRACK'])

/** Its host is none of the client's words: who is meant was checked, and a port that is none makes no URL. */
function requestOf(req: IncomingMessage, headers: Headers, body: Buffer | undefined, signal: AbortSignal): Request {
  const { method = 'GET', url = '/' } = req
  if (NOT_TAKEN.has(method)) {
    throw new GatewayError('METHOD_NOT_ALLOWED', { allowed: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] })
  }
  return new Request(`http://gateway${url}`, {
    method,
    headers,
    signal,
    ...(body !== undefined && { body: new Uint8Array(body) }),
  })
}
