// A session lives in one replica, its home. Its id names the home and carries what another replica needs in order to go on
// with it when the home is gone. Decision 27 has the reasons.

import { createHash } from 'node:crypto'
import { isRecord } from '@tooldex/http-kit/json'
import { STATE_LENGTH } from '../../calls/parked-calls.ts'
import { RESULT_URI } from '../../calls/results/result-fitter.ts'
import { RESULT_ID_LENGTH } from '../../calls/results/result-store.ts'
import { GatewayError } from '../../errors.ts'
import type { Endpoint } from '../../model/endpoint.ts'
import type { Principal } from '../../model/principal.ts'
import type { Owned, Replica, ReplicaRepository } from '../../model/replicas.ts'
import type { Answering } from '../mcp/answer.ts'
import { callerOutsideRequest } from '../mcp/caller.ts'
import { type HttpExchange, isOnThisMachine } from '../mcp/http-exchange.ts'
import type { RpcMessage } from '../mcp/requests/request-handler.ts'
import type { ClientFacts, Session, SessionTransport } from '../mcp/session.ts'
import type { SessionPlaces, Sessions } from '../mcp/sessions.ts'
import { answerNotHere, type Hops } from './hop.ts'
import { REPLICA_ID_LENGTH, type Replicas } from './replicas.ts'
import type { Keys } from './seal.ts'
import {
  ADOPTABLE_MS,
  isOf,
  type OpenedSession,
  openSession,
  openState,
  sealSession,
  sealState,
  type SessionState,
} from './sealed-session.ts'

/** The collaborators of {@link SessionHomes}. */
export interface SessionHomesParts {
  readonly answering: Answering
  readonly sessions: Sessions
  readonly replicas: Replicas
  readonly hops: Hops
  readonly keys: Keys
  /** Without one, sessions end with their process. */
  readonly repository?: ReplicaRepository | undefined
}

const SHARED_STATE_LENGTH = REPLICA_ID_LENGTH + STATE_LENGTH
const SHARED_RESULT_ID_LENGTH = REPLICA_ID_LENGTH + RESULT_ID_LENGTH
/** Sessions whose present home is remembered. */
const MOST_REMEMBERED = 10_000

/** Finds the home of a session: here, in another replica, or here from now on because its home is gone. */
export class SessionHomes implements SessionPlaces {
  readonly #parts: SessionHomesParts
  /** The homes of sessions that are not where their ids say. */
  readonly #moved = new Map<string, string>()
  readonly #claims = new Map<string, Promise<Owned>>()
  /** The last stored state of each session, and the write that stores it. */
  readonly #kept = new WeakMap<Session, { text: string; written: Promise<void> }>()
  /** Sessions whose ids do not carry their clients. */
  readonly #unsealed = new WeakSet<Session>()

  constructor(parts: SessionHomesParts) {
    this.#parts = parts
  }

  /** Whether this replica is about to stop, and another one takes what is new. */
  get isLeaving(): boolean {
    return this.#parts.replicas.isLeaving && this.#parts.replicas.another() !== undefined
  }

  /** Begins a session. @throws GatewayError TOO_MANY_SESSIONS, GATEWAY_STOPPING */
  begin(transport: SessionTransport, principal: Principal, endpoint: Endpoint, client?: ClientFacts): Session {
    const { sessions, replicas, keys } = this.#parts
    const facts = { homeId: replicas.id, transport, begunAt: Math.round(replicas.now()), ...(client && { client }) }
    const id = sealSession(facts, principal, endpoint, keys)
    const session = sessions.begin(transport, principal, endpoint, id)
    if (client !== undefined) Object.assign(session, client)
    if (openSession(id, keys)?.client === undefined) this.#unsealed.add(session)
    return session
  }

  /**
   * The session of a request that this process does not know. Resolves to undefined if another replica has answered.
   * @param prepare connects a session that is taken over; absent if it cannot be
   * @throws GatewayError SESSION_NOT_FOUND, REPLICA_LOST, STORE_UNAVAILABLE
   */
  async locate(
    exchange: HttpExchange,
    id: string,
    transport: SessionTransport,
    prepare?: (session: Session) => void,
  ): Promise<Session | undefined> {
    const { principal, endpoint } = exchange
    const opened = this.#open(id, transport, principal, endpoint)
    if (opened === undefined) throw notFound(transport)
    if (prepare === undefined) {
      // The answers of HTTP+SSE need the stream, which ends with its replica.
      if (await this.#passedTo(opened.homeId, exchange, true)) return undefined
      throw notFound(transport)
    }
    const moved = this.#moved.get(id)
    if (moved !== undefined && (await this.#passedTo(moved, exchange))) return undefined
    this.#moved.delete(id)
    if (await this.#passedTo(opened.homeId, exchange)) return undefined
    return this.#takeOver(exchange, id, opened, prepare)
  }

  /** Passes something new on to another replica, because this one is about to stop. @returns whether it has answered */
  async passOn(exchange: HttpExchange): Promise<boolean> {
    const other = exchange.hop === undefined ? this.#parts.replicas.another() : undefined
    return other !== undefined && (await this.#forward(exchange, other)) === 'answered'
  }

  /**
   * Passes a request of 2026-07-28 on to the replica that has its parked call, or the result that it reads on.
   * @returns whether another replica has answered; undefined if the request names none
   */
  passToNamed(exchange: HttpExchange, { params }: RpcMessage): Promise<boolean> | undefined {
    const named = params === undefined || exchange.hop !== undefined ? undefined : namedIn(params)
    const ownerId = named?.slice(0, REPLICA_ID_LENGTH)
    return ownerId === undefined ? undefined : this.#passedTo(ownerId, exchange, true)
  }

  /** Passes a response or a cancellation on to the replica that had the session before and may still be answering. */
  async passBack(session: Session, exchange: HttpExchange): Promise<boolean> {
    const { previousHomeId } = session
    if (previousHomeId === undefined || exchange.hop !== undefined) return false
    return this.#passedTo(previousHomeId, exchange)
  }

  /** Lets the replica that passed a request on go on with the session. */
  async letGo(session: Session, { res }: HttpExchange): Promise<void> {
    this.keep(session)
    await this.#kept.get(session)?.written
    answerNotHere(res)
  }

  /** Stores what changed in a session, for the replica that has it next. */
  keep(session: Session): void {
    const { answering, repository, keys } = this.#parts
    if (repository === undefined) return
    const { sessionId, subscribed, logLevel } = session
    const added = answering.handler.addedTo(sessionId)
    const isUnsealed = this.#unsealed.has(session)
    if (added.length === 0 && subscribed.size === 0 && logLevel === undefined && !isUnsealed) return
    const state: SessionState = {
      ...{ added, subscribed: [...subscribed] },
      ...(logLevel !== undefined && { logLevel }),
      ...(isUnsealed && { client: factsOf(session) }),
    }
    const text = JSON.stringify(state)
    const kept = this.#kept.get(session)
    if (kept?.text === text) return
    const write = async (): Promise<void> => {
      const sealed = sealState(state, keys)
      // A later change of the same session has been noted while the earlier one was being written.
      if (sealed === undefined || this.#kept.get(session)?.text !== text) return
      await repository.keep(subjectOf(sessionId), sealed, this.#until(sessionId))
    }
    const written = (kept?.written ?? Promise.resolve()).then(write).catch((error: unknown) => {
      answering.log.warn({ error: String(error) }, 'the state of a session could not be stored')
    })
    this.#kept.set(session, { text, written })
  }

  /** Ends a session for all replicas. */
  async end(session: Session): Promise<void> {
    const { answering, repository } = this.#parts
    session.end()
    await this.#kept.get(session)?.written
    await repository?.end(subjectOf(session.sessionId), this.#until(session.sessionId)).catch((error: unknown) => {
      answering.log.warn({ error: String(error) }, 'the end of a session could not be stored')
    })
  }

  #open(id: string, transport: SessionTransport, principal: Principal, endpoint: Endpoint): OpenedSession | undefined {
    const opened = openSession(id, this.#parts.keys)
    return opened?.transport === transport && isOf(opened, principal, endpoint) ? opened : undefined
  }

  /** Whether another replica has answered. A replica that is about to stop gets only what concerns its open requests. */
  async #passedTo(replicaId: string, exchange: HttpExchange, evenLeaving = !asksAnything(exchange)): Promise<boolean> {
    if (exchange.hop !== undefined) return false
    const replica = await this.#parts.replicas.find(replicaId)
    if (replica === undefined || (replica.isLeaving && !evenLeaving)) return false
    return (await this.#forward(exchange, replica)) === 'answered'
  }

  #forward(exchange: HttpExchange, to: Replica): ReturnType<Hops['forward']> {
    const forwarding = this.#parts.hops.forward(exchange, to)
    // A stream stays open for as long as its client does.
    if (exchange.req.method === 'GET') return forwarding
    const { underWay } = this.#parts.answering
    underWay.begin()
    return forwarding.finally(() => underWay.end())
  }

  async #takeOver(
    exchange: HttpExchange,
    id: string,
    opened: OpenedSession,
    prepare: (session: Session) => void,
  ): Promise<Session | undefined> {
    const { repository, replicas, sessions } = this.#parts
    const { principal, endpoint } = exchange
    const known = await repository?.find(subjectOf(id))
    const previousId = known?.ownerId ?? opened.homeId
    if (repository === undefined || known?.hasEnded === true) throw notFound('http')
    if (previousId === replicas.id) {
      // Another request may have taken it over meanwhile. Otherwise it was here, and has ended.
      await this.#claims.get(id)
      const session = sessions.find(id, 'http', principal, endpoint)
      if (session !== undefined) return session
      throw notFound('http')
    }
    if (known?.ownerId !== undefined && (await this.#passedTo(known.ownerId, exchange))) {
      return this.#remember(id, known.ownerId)
    }
    if (this.#isTooOld(opened)) throw notFound('http')
    if (sessions.isClosed && (await this.passOn(exchange))) return undefined
    const owned = await this.#claim(repository, id, previousId, opened)
    if (owned.hasEnded) throw notFound('http')
    if (owned.ownerId === replicas.id) {
      const session = sessions.find(id, 'http', principal, endpoint)
      if (session !== undefined) return session
      const restored = this.#restore(exchange, id, opened, owned)
      restored.previousHomeId = previousId
      prepare(restored)
      this.#resume(restored)
      return restored
    }
    // Another replica was faster.
    if (exchange.hop !== undefined) {
      answerNotHere(exchange.res)
      return undefined
    }
    if (await this.#passedTo(owned.ownerId ?? '', exchange)) return this.#remember(id, owned.ownerId ?? '')
    throw notFound('http')
  }

  /** Requests of one session may arrive at the same time. */
  #claim(repository: ReplicaRepository, id: string, from: string, opened: OpenedSession): Promise<Owned> {
    const under =
      this.#claims.get(id) ??
      repository
        .claim(subjectOf(id), this.#parts.replicas.id, from, opened.begunAt + ADOPTABLE_MS)
        .finally(() => this.#claims.delete(id))
    this.#claims.set(id, under)
    return under
  }

  #restore(exchange: HttpExchange, id: string, opened: OpenedSession, owned: Owned): Session {
    const { sessions, answering, keys } = this.#parts
    const state = openState(owned.state, keys)
    const session = sessions.adopt(opened.transport, exchange.principal, exchange.endpoint, id)
    const client = opened.client ?? state.client
    // Its former home may run on another machine.
    if (client !== undefined) Object.assign(session, client, { isLocal: client.isLocal && isOnThisMachine(exchange) })
    if (opened.client === undefined) this.#unsealed.add(session)
    for (const uri of state.subscribed) session.subscribed.add(uri)
    session.logLevel = state.logLevel
    answering.handler.restoreAdded(id, state.added)
    this.#moved.delete(id)
    return session
  }

  /** Repeats at the servers what the client asked of them at its former home. */
  #resume(session: Session): void {
    const { handler, log } = this.#parts.answering
    const requests = [
      ...Array.from(session.subscribed, (uri) => ({ method: 'resources/subscribe', params: { uri } })),
      ...(session.logLevel === undefined ? [] : [{ method: 'logging/setLevel', params: { level: session.logLevel } }]),
    ]
    for (const request of requests) {
      handler.handle(request, callerOutsideRequest(session)).catch(() => {
        log.warn({ method: request.method }, 'a session was taken over, but a server does not go on with it')
      })
    }
  }

  #remember(id: string, ownerId: string): undefined {
    if (this.#moved.size >= MOST_REMEMBERED) this.#moved.clear()
    this.#moved.set(id, ownerId)
  }

  #isTooOld({ begunAt }: OpenedSession): boolean {
    return this.#parts.replicas.now() - begunAt > ADOPTABLE_MS
  }

  #until(id: string): number {
    return (openSession(id, this.#parts.keys)?.begunAt ?? this.#parts.replicas.now()) + ADOPTABLE_MS
  }
}

/** Whether a request needs an answer of its own, other than responses, notifications and the end of a session. */
function asksAnything({ req, body }: HttpExchange): boolean {
  if (req.method !== 'POST') return req.method !== 'DELETE'
  return !isRecord(body) || ('id' in body && 'method' in body)
}

/** A request state, or the id of a kept result, that one of several replicas made: both begin with the replica's id. */
function namedIn({ requestState, uri, arguments: args }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof requestState === 'string') return requestState.length === SHARED_STATE_LENGTH ? requestState : undefined
  const given = isRecord(args)
    ? (args['id'] ?? (isRecord(args['arguments']) ? args['arguments']['id'] : undefined))
    : uri
  const id = typeof given === 'string' ? given.replace(RESULT_URI, '').replace(/\/\d+$/, '') : ''
  return id.length === SHARED_RESULT_ID_LENGTH ? id : undefined
}

function factsOf({ protocolVersion, clientInfo, clientCapabilities, isLocal }: Session): ClientFacts {
  return { protocolVersion, clientInfo, clientCapabilities, isLocal }
}

function notFound(transport: SessionTransport): GatewayError {
  const remedy = transport === 'sse' ? 'Open the event stream again' : 'Send initialize to begin a new one'
  return new GatewayError('SESSION_NOT_FOUND', { remedy })
}

/** The database knows a session by a hash: a copy of it gives no session away. */
function subjectOf(id: string): string {
  return `session ${createHash('sha256').update(id).digest('base64url')}`
}
