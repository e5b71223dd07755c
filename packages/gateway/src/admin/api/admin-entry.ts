import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { ADMIN_BASE } from '@tooldex/contract'
import { dropRest, isLocal } from '@tooldex/http-kit/server'
import { AttemptLimit } from '../../clients/http/guards.ts'
import type { Sender } from '../../clients/http/routes.ts'
import { readBytes } from '../../clients/http/request-body.ts'
import { writeResponse } from '../../clients/sdk/web-bridge.ts'
import { GatewayError } from '../../errors.ts'
import type { FailedAttempts } from '../../model/shared-limits.ts'
import type { RefusedRequest } from '../../audit/refusals.ts'
import type { AdminAccess } from '../access/admin-access.ts'
import type { AdminCaller } from '../access/admin-caller.ts'
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
  /** Subscribes to token changes, so that the streams and calls of a revoked token end. Returns the function that unsubscribes. */
  readonly onTokensChanged: (listener: () => void) => () => void
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
  /** Counts wrong tokens; by default those of this process. */
  readonly attempts?: FailedAttempts
}

/** The one route that authenticates its callers by itself. */
const SIGN_IN = `${ADMIN_BASE}/session`
const IMPORT = `${ADMIN_BASE}/import`
/** No event reports that a token expired: a timer ends its streams and calls within a second. */
const SWEEP_MS = 500
/** How often the database is asked whether the session of a stream was signed out elsewhere. */
const CHECK_MS = 5_000
const MOST_BYTES = 4 * 1024 * 1024
const MOST_IMPORTED = 20 * 1024 * 1024
/** The limit for unauthenticated callers. */
const MOST_TO_SIGN_IN = 16 * 1024

/** Smaller answers fit into one packet anyway. */
const LEAST_COMPRESSED = 1_400
const compress = promisify(gzip)

/** Requests with a body that only read. */
const READS = new RegExp(`^${ADMIN_BASE}/(?:search|projects/[^/]+/preview)$`)

/**
 * Compresses the JSON of a request that reads, for clients that accept it. Other answers stay as they are: those to POST may have a
 * new secret beside what the caller sent, and the size of such an answer would tell about the secret.
 */
async function compressed(req: IncomingMessage, response: Response): Promise<Response> {
  const accepts = /\bgzip\b/.test(String(req.headers['accept-encoding'] ?? ''))
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
  const path = (req.url ?? '').split('?', 1)[0] ?? ''
  const isReading = req.method === 'GET' || (req.method === 'POST' && READS.test(path))
  if (!isReading || !accepts || !isJson) return response
  const plain = Buffer.from(await response.arrayBuffer())
  const { status } = response
  const headers = new Headers(response.headers)
  headers.set('vary', 'accept-encoding')
  headers.delete('content-length')
  if (plain.length < LEAST_COMPRESSED) return new Response(plain, { status, headers })
  headers.set('content-encoding', 'gzip')
  return new Response(await compress(plain), { status, headers })
}

/** A request whose response has not ended, and the role that it was accepted with. */
interface OpenRequest extends Pick<AdminCaller, 'role'> {
  /** Itself, not a copy: the signal of a request that is collected no longer follows ours. */
  readonly request: Request
}

/** The HTTP entry point of the admin API: authenticates requests to `/api/v1` and passes them on. */
export class AdminEntry {
  readonly #parts: AdminEntryParts
  readonly #attempts: FailedAttempts
  /** Requests whose response has not ended, such as streams and calls that are tried out. */
  readonly #open = new Map<AbortController, OpenRequest>()
  #api: Promise<AdminApi> | undefined
  #endWatch: (() => void) | undefined

  constructor(parts: AdminEntryParts) {
    this.#parts = parts
    this.#attempts = parts.attempts ?? new AttemptLimit(parts.now)
  }

  /** Creates a one-time code that signs a browser in. */
  signInCode(): string {
    return this.#parts.signInCode()
  }

  /** Answers a request; says when its sender is authenticated. */
  async handle(req: IncomingMessage, res: ServerResponse, sender: Sender): Promise<void> {
    const response = await this.#answer(req, res, sender)
    dropRest(req, res)
    try {
      await writeResponse(res, await compressed(req, response))
    } catch {
      // A truncated response must not look complete.
      res.destroy()
    }
  }

  /** Ends all streams and calls. */
  close(): void {
    for (const controller of this.#open.keys()) controller.abort()
  }

  async #answer(req: IncomingMessage, res: ServerResponse, { address, authenticated }: Sender): Promise<Response> {
    const { access, log } = this.#parts
    const path = (req.url ?? '/').split('?', 1)[0]
    const isSignIn = req.method === 'POST' && path === SIGN_IN
    try {
      const headers = headersOf(req)
      if (!isSignIn) await access.checkEnd({ headers })
      // The body of an unauthenticated request is not read.
      const caller = isSignIn
        ? undefined
        : { ...access.callerOf({ method: req.method ?? 'GET', headers }), isLocal: isLocal(req) }
      if (caller === undefined) access.checkSignIn({ headers })
      else authenticated()
      const body = hasBody(req) ? await readBytes(req, mostBytes(path, isSignIn)) : undefined
      const api = await this.#load()
      const controller = new AbortController()
      const request = requestOf(req, headers, body, controller.signal)
      this.#keepOpen(controller, res, request, caller)
      const response = await api(request, caller)
      if (isSignIn && response.status === 401) {
        this.#refused(address, 'TOKEN_INVALID', isSignIn)
        await this.#attempts.failed(address)
      }
      return response
    } catch (error) {
      const { problemResponse } = await import('../routes/problem-response.ts')
      const told = await this.#counted(error, address)
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

  /** Aborts a request when the client disconnects, or when its access ends or its role changes. */
  #keepOpen(controller: AbortController, res: ServerResponse, request: Request, caller: AdminCaller | undefined): void {
    if (caller !== undefined) this.#open.set(controller, { request, role: caller.role })
    this.#endWatch ??= this.#watch()
    res.once('close', () => {
      controller.abort()
      this.#open.delete(controller)
      if (this.#open.size > 0) return
      this.#endWatch?.()
      this.#endWatch = undefined
    })
  }

  /** Ends streams and calls whose token or session is no longer valid or has another role, as long as a request is open. */
  #watch(): () => void {
    const sweep = (): void => {
      for (const [controller, { request, role }] of this.#open) {
        if (!this.#parts.access.isStillValid(request, role)) controller.abort()
      }
    }
    const timer = setInterval(sweep, SWEEP_MS).unref()
    const check = (): void => {
      for (const { request } of this.#open.values()) void this.#parts.access.checkEnd(request)
    }
    const checking = setInterval(check, CHECK_MS).unref()
    const endListening = this.#parts.onTokensChanged(sweep)
    return () => {
      clearInterval(timer)
      clearInterval(checking)
      endListening()
    }
  }

  /** Counts invalid tokens by address. */
  async #counted(error: unknown, address: string): Promise<unknown> {
    if (!(error instanceof GatewayError) || error.code !== 'TOKEN_INVALID') return error
    try {
      await this.#attempts.failed(address)
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
  const seconds = details['retryAfter']
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
