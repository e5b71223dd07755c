import { GatewayError } from '../../errors.ts'
import type { Endpoint } from '../../model/endpoint.ts'
import type { Principal } from '../../model/principal.ts'
import type { Answering } from './answer.ts'
import { accessEnded } from './caller.ts'
import type { HttpExchange } from './http-exchange.ts'
import type { RpcMessage } from './requests/request-handler.ts'
import { type ClientFacts, Session, type SessionTransport } from './session.ts'

/** How many sessions there may be, and for how long without use. */
export interface SessionLimits {
  readonly perToken: number
  readonly total: number
  readonly idleMs: number
  /** How much of the limit of a token this replica may use, if several share it. */
  readonly share?: (tokenId: string, perToken: number) => number
}

/** Where sessions live when several replicas share a database: here, or in another one. */
export interface SessionPlaces {
  /** Whether this replica is about to stop, and another one takes what is new. */
  readonly isLeaving: boolean
  /** Begins a session. @throws GatewayError TOO_MANY_SESSIONS, GATEWAY_STOPPING */
  begin(transport: SessionTransport, principal: Principal, endpoint: Endpoint, client?: ClientFacts): Session
  /**
   * The session of a request that this process does not know. Resolves to undefined if another replica has answered.
   * @param prepare connects a session that is taken over; absent if it cannot be
   * @throws GatewayError SESSION_NOT_FOUND, REPLICA_LOST, STORE_UNAVAILABLE
   */
  locate(
    exchange: HttpExchange,
    id: string,
    transport: SessionTransport,
    prepare?: (session: Session) => void,
  ): Promise<Session | undefined>
  /** Passes something new on to another replica, because this one is about to stop. @returns whether it has answered */
  passOn(exchange: HttpExchange): Promise<boolean>
  /**
   * Passes a request of 2026-07-28 on to the replica that has its parked call, or the result that it reads on.
   * @returns whether another replica has answered; undefined if the request names none
   */
  passToNamed(exchange: HttpExchange, request: RpcMessage): Promise<boolean> | undefined
  /** Passes a response or a cancellation on to the replica that had the session before and may still be answering. */
  passBack(session: Session, exchange: HttpExchange): Promise<boolean>
  /** Lets the replica that passed a request on go on with the session. */
  letGo(session: Session, exchange: HttpExchange): Promise<void>
  /** Stores what changed in a session, for the replica that has it next. */
  keep(session: Session): void
  /** Ends a session for all replicas. */
  end(session: Session): Promise<void>
}

/** Room for a team of agents; a client that forgets to end its sessions loses the oldest, not the service. */
export const SESSION_LIMITS: SessionLimits = { perToken: 1_000, total: 5_000, idleMs: 30 * 60_000 }

/** A session that was not used for this long may be evicted when there is no room for a new one. */
const EVICTABLE_AFTER_MS = 60_000

/** The sessions that are open. */
export class Sessions {
  readonly #limits: SessionLimits
  readonly #now: () => number
  /** Oldest use first: using a session moves it to the end. */
  readonly #sessions = new Map<string, Session>()
  readonly #perToken = new Map<string, number>()
  /** The one at the end. The next request is mostly of the same session, which then need not be moved. */
  #newest: Session | undefined
  #isClosed = false

  constructor(now: () => number, limits: SessionLimits = SESSION_LIMITS) {
    this.#now = now
    this.#limits = limits
  }

  get size(): number {
    return this.#sessions.size
  }

  /** How many sessions each token has. */
  get perToken(): ReadonlyMap<string, number> {
    return this.#perToken
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** @throws GatewayError TOO_MANY_SESSIONS, GATEWAY_STOPPING */
  begin(transport: SessionTransport, principal: Principal, endpoint: Endpoint, id?: string): Session {
    if (this.#isClosed) throw new GatewayError('GATEWAY_STOPPING', { remedy: 'Connect again in a moment' })
    return this.#add(transport, principal, endpoint, id)
  }

  /** Goes on with a session that another replica had. @throws GatewayError TOO_MANY_SESSIONS */
  adopt(transport: SessionTransport, principal: Principal, endpoint: Endpoint, id: string): Session {
    this.#sessions.get(id)?.end()
    return this.#add(transport, principal, endpoint, id)
  }

  #add(transport: SessionTransport, principal: Principal, endpoint: Endpoint, id?: string): Session {
    this.#makeRoom(principal)
    const session = new Session(transport, principal, endpoint, this.#now(), id)
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

  /** The session, if it belongs to this token and endpoint. Counts as use. */
  find(id: string, transport: SessionTransport, principal: Principal, endpoint: Endpoint): Session | undefined {
    const session = this.#sessions.get(id)
    if (session === undefined || session.transport !== transport) return undefined
    if (session.principal.tokenId !== principal.tokenId || session.endpoint.id !== endpoint.id) return undefined
    if (!hasAllRightsOf(principal, session.principal)) {
      // Its list and its subscriptions may hold more than the token is allowed now.
      session.end()
      return undefined
    }
    session.principal = principal
    session.endpoint = endpoint
    session.lastUsed = this.#now()
    this.#moveToEnd(session)
    return session
  }

  /** Ends sessions that are idle for too long, and those whose token is no longer valid or lost rights. */
  sweep(rightsNow: Answering['rightsNow']): void {
    const idleSince = this.#now() - this.#limits.idleMs
    for (const session of [...this.#sessions.values()]) {
      const isIdle = session.open === 0 && session.lastUsed <= idleSince
      if (isIdle) session.end()
      const rights = rightsNow(session)
      if (rights === undefined || !hasAllRightsOf(rights.principal, session.principal)) session.end(accessEnded())
    }
  }

  /** No further session begins; open ones go on. */
  close(): void {
    this.#isClosed = true
  }

  /** Ends the streams on which clients are notified: they open others, with other replicas. */
  releaseStreams(): void {
    for (const session of this.#sessions.values()) session.releaseStream()
  }

  endAll(): void {
    for (const session of [...this.#sessions.values()]) session.end()
  }

  #moveToEnd(session: Session): void {
    if (session === this.#newest) return
    this.#sessions.delete(session.sessionId)
    this.#sessions.set(session.sessionId, session)
    this.#newest = session
  }

  #makeRoom({ tokenId }: Principal): void {
    const ofToken = this.#perToken.get(tokenId) ?? 0
    const { perToken, share } = this.#limits
    const most = share?.(tokenId, perToken) ?? perToken
    if (ofToken < most && this.#sessions.size < this.#limits.total) return
    const since = this.#now() - EVICTABLE_AFTER_MS
    const mustBeOfToken = ofToken >= most
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

/** Whether a token has all the rights now that it had before. */
export function hasAllRightsOf(current: Principal, before: Principal): boolean {
  if (current === before) return true
  if (current.readOnly && !before.readOnly) return false
  return includes(current.projects, before.projects) && includes(current.servers, before.servers)
}

/** Absent means all. */
function includes(current: ReadonlySet<string> | undefined, before: ReadonlySet<string> | undefined): boolean {
  return current === undefined || (before !== undefined && [...before].every((each) => current.has(each)))
}
