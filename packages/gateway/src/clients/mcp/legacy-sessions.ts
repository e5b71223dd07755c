import { randomBytes } from 'node:crypto'
import type { Endpoint } from '../../model/endpoint.ts'
import type { Principal } from '../../model/principal.ts'
import { GatewayError } from '../../errors.ts'
import { isObject, type JsonObject, type RequestId } from './json-rpc.ts'
import type { Peer } from './peer.ts'
import { LATEST_LEGACY_VERSION, LEGACY_VERSIONS } from './protocol-versions.ts'
import { RpcError, type RpcMessage } from './requests/request-handler.ts'
import { mayAsMuch } from './still-valid.ts'

/** How many sessions there may be, and for how long without use. */
export interface SessionLimits {
  readonly perToken: number
  readonly total: number
  readonly idleMs: number
}

/** Room for a team of agents; a client that forgets to end its sessions loses the oldest, not the service. */
const SESSION_LIMITS: SessionLimits = { perToken: 1_000, total: 5_000, idleMs: 30 * 60_000 }

/** A session without use for this long may give way when there is no room for a new one. */
const MAY_GIVE_WAY_MS = 60_000

/** How the messages of a session travel: Streamable HTTP, the HTTP+SSE of old, or standard streams. */
export type SessionTransport = 'http' | 'sse' | 'stdio'

/** A client that said `initialize` (revisions up to 2025-11-25). Its id proves nothing: the token is checked each time. */
export class LegacySession implements Peer {
  readonly era = 'legacy'
  readonly sessionId: string
  readonly transport: SessionTransport
  /** As of the latest request: a configuration may have changed since. */
  principal: Principal
  endpoint: Endpoint
  protocolVersion: string = LATEST_LEGACY_VERSION
  clientInfo: JsonObject = {}
  clientCapabilities: JsonObject = {}
  lastUsed: number
  /** Requests and streams that are open now. A session with one of them is in use. */
  open = 0
  /** Resources that it subscribed to. */
  readonly watched = new Set<string>()
  /** Calls that are answered without the SDK, for `notifications/cancelled` to find. */
  readonly calls = new Set<{ readonly id: RequestId; readonly controller: AbortController }>()
  /** The `initialize` that was answered without the SDK, which gets to read it when it is needed for the session. */
  introduction: JsonObject | undefined
  /** Says something on the stream that was opened without the SDK; absent while there is none. */
  say: ((message: JsonObject) => void) | undefined
  /** Ends that stream. */
  endStream: (() => void) | undefined
  readonly #questions = new Map<string, (message: JsonObject | Error) => void>()
  readonly #atEnd: (() => void)[] = []
  #questionCount = 0
  #ended = false

  constructor(transport: SessionTransport, principal: Principal, endpoint: Endpoint, now: number) {
    this.sessionId = randomBytes(16).toString('base64url')
    this.transport = transport
    this.principal = principal
    this.endpoint = endpoint
    this.lastUsed = now
  }

  /** Remembers what the client said of itself, and the version that this comes to. */
  introduce(params: unknown): void {
    if (!isObject(params)) return
    const wanted = LEGACY_VERSIONS.find((version) => version === params['protocolVersion'])
    this.protocolVersion = wanted ?? LATEST_LEGACY_VERSION
    if (isObject(params['clientInfo'])) this.clientInfo = params['clientInfo']
    if (isObject(params['capabilities'])) this.clientCapabilities = params['capabilities']
  }

  /** Runs when the session ends; at once when it has ended already. */
  atEnd(run: () => void): void {
    if (this.#ended) run()
    else this.#atEnd.push(run)
  }

  /** Asks the client over a stream. Ids are ours and never look like the SDK's numbers. `send` says if it could. */
  question(question: RpcMessage, send: (message: JsonObject) => boolean, signal: AbortSignal): Promise<JsonObject> {
    const id = `ask-${++this.#questionCount}`
    return new Promise<JsonObject>((resolve, reject) => {
      const gone = () => settle(new GatewayError('CALL_CANCELLED'))
      const withdraw = () => {
        send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } })
        gone()
      }
      const settle = (message: JsonObject | Error) => {
        this.#questions.delete(id)
        signal.removeEventListener('abort', withdraw)
        if (message instanceof Error) reject(message)
        else if (isObject(message['error'])) reject(refusal(message['error']))
        else resolve(isObject(message['result']) ? message['result'] : {})
      }
      if (signal.aborted || this.#ended) return gone()
      signal.addEventListener('abort', withdraw, { once: true })
      this.#questions.set(id, settle)
      if (!send({ jsonrpc: '2.0', id, ...question })) gone()
    })
  }

  /** Takes a response to one of our questions; false = it answers nothing that was asked here. */
  answered(message: JsonObject): boolean {
    const settle = typeof message['id'] === 'string' ? this.#questions.get(message['id']) : undefined
    settle?.(message)
    return settle !== undefined
  }

  /** Cancels calls by the client's id; false = none of that id is answered here. */
  cancel(id: unknown): boolean {
    let isFound = false
    for (const call of this.calls) {
      if (call.id !== id) continue
      isFound = true
      call.controller.abort(new GatewayError('CALL_CANCELLED'))
    }
    return isFound
  }

  end(): void {
    if (this.#ended) return
    this.#ended = true
    for (const call of this.calls) call.controller.abort(new GatewayError('CALL_CANCELLED'))
    for (const settle of [...this.#questions.values()]) settle(new GatewayError('SESSION_NOT_FOUND'))
    this.endStream?.()
    for (const run of this.#atEnd.splice(0)) run()
  }
}

function refusal(error: JsonObject): RpcError {
  return new RpcError(Number(error['code']), String(error['message']), error['data'])
}

/** The sessions that are open. Looking one up never makes one. */
export class LegacySessions {
  readonly #limits: SessionLimits
  readonly #now: () => number
  /** Oldest use first: using a session moves it to the end. */
  readonly #sessions = new Map<string, LegacySession>()
  readonly #perToken = new Map<string, number>()
  /** The one at the end: mostly the next request is of the same, and moving it costs more than finding it. */
  #newest: LegacySession | undefined

  constructor(now: () => number, limits: SessionLimits = SESSION_LIMITS) {
    this.#now = now
    this.#limits = limits
  }

  get size(): number {
    return this.#sessions.size
  }

  /** @throws GatewayError TOO_MANY_SESSIONS */
  begin(transport: SessionTransport, principal: Principal, endpoint: Endpoint): LegacySession {
    this.#makeRoom(principal)
    const session = new LegacySession(transport, principal, endpoint, this.#now())
    const { tokenId } = principal
    this.#sessions.set(session.sessionId, session)
    this.#newest = session
    this.#perToken.set(tokenId, (this.#perToken.get(tokenId) ?? 0) + 1)
    session.atEnd(() => {
      this.#sessions.delete(session.sessionId)
      if (session === this.#newest) this.#newest = undefined
      const left = (this.#perToken.get(tokenId) ?? 1) - 1
      if (left === 0) this.#perToken.delete(tokenId)
      else this.#perToken.set(tokenId, left)
    })
    return session
  }

  /** The session, if it is of this token and endpoint: a foreign one looks like none. Counts as use. */
  find(id: string, transport: SessionTransport, principal: Principal, endpoint: Endpoint): LegacySession | undefined {
    const session = this.#sessions.get(id)
    if (session === undefined || session.transport !== transport) return undefined
    if (session.principal.tokenId !== principal.tokenId || session.endpoint.id !== endpoint.id) return undefined
    if (!mayAsMuch(principal, session.principal)) {
      // What it heard and subscribed to may be more than the token is allowed now.
      session.end()
      return undefined
    }
    session.principal = principal
    session.endpoint = endpoint
    session.lastUsed = this.#now()
    this.#moveToEnd(session)
    return session
  }

  /** Ends what was not used for too long, and what belongs to a token that is not valid any more. */
  sweep(isValid: (principal: Principal, endpointId: string) => boolean): void {
    const idleSince = this.#now() - this.#limits.idleMs
    for (const session of [...this.#sessions.values()]) {
      const isIdle = session.open === 0 && session.lastUsed <= idleSince
      if (isIdle || !isValid(session.principal, session.endpoint.id)) session.end()
    }
  }

  endAll(): void {
    for (const session of [...this.#sessions.values()]) session.end()
  }

  #moveToEnd(session: LegacySession): void {
    if (session === this.#newest) return
    this.#sessions.delete(session.sessionId)
    this.#sessions.set(session.sessionId, session)
    this.#newest = session
  }

  #makeRoom({ tokenId }: Principal): void {
    const ofToken = this.#perToken.get(tokenId) ?? 0
    if (ofToken < this.#limits.perToken && this.#sessions.size < this.#limits.total) return
    const since = this.#now() - MAY_GIVE_WAY_MS
    const mustBeOfToken = ofToken >= this.#limits.perToken
    for (const session of this.#sessions.values()) {
      if (session.open > 0 || session.lastUsed > since) continue
      if (mustBeOfToken && session.principal.tokenId !== tokenId) continue
      session.end()
      return
    }
    throw new GatewayError('TOO_MANY_SESSIONS', {
      remedy: 'End sessions that are not needed (DELETE with their Mcp-Session-Id), or try again in a minute',
    })
  }
}
