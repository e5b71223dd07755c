import { isRecord } from '@tooldex/http-kit/json'
import type { Endpoint } from '../../model/endpoint.ts'
import type { Principal } from '../../model/principal.ts'
import type { ClientFacts, SessionTransport } from '../mcp/session.ts'
import { digest, type Keys, seal, unseal } from './seal.ts'

/** What the id of a session carries. */
export interface SealedSession {
  /** The replica that began it. */
  readonly homeId: string
  readonly transport: SessionTransport
  /** Milliseconds since the epoch, in the database's time. */
  readonly begunAt: number
  /** Absent if they did not fit: then they are in the store. */
  readonly client?: ClientFacts
}

/** A sealed session that was opened, with the marks of its token and endpoint. */
export interface OpenedSession extends SealedSession {
  readonly token: string
  readonly endpoint: string
}

/** Longer ids would not fit into the headers that proxies allow, together with a token. */
const LONGEST_ID = 2_000
const PURPOSE = 'session'
/** A session is not taken over by another replica when it is older; what the store knows of it is kept for as long. */
export const ADOPTABLE_MS = 7 * 24 * 60 * 60_000

/** The id of a new session. */
export function sealSession(session: SealedSession, principal: Principal, endpoint: Endpoint, keys: Keys): string {
  const { homeId, transport, begunAt, client } = session
  const owner = [homeId, transport, begunAt, digest(principal.tokenId), digest(endpoint.id)]
  const facts = client && [client.protocolVersion, client.isLocal, client.clientInfo, client.clientCapabilities]
  const id = seal([...owner, ...(facts ?? [])], PURPOSE, keys)
  return id.length <= LONGEST_ID ? id : seal(owner, PURPOSE, keys)
}

/** What an id carries; undefined for an id of another key, version or making. */
export function openSession(id: string, keys: Keys): OpenedSession | undefined {
  const value = id.length <= LONGEST_ID ? unseal(id, PURPOSE, keys) : undefined
  if (!Array.isArray(value)) return undefined
  const [homeId, transport, begunAt, token, endpoint, protocolVersion, isLocal, clientInfo, clientCapabilities] =
    value as [string, SessionTransport, number, string, string, ...unknown[]]
  const opened = { homeId, transport, begunAt, token, endpoint }
  if (typeof protocolVersion !== 'string' || !isRecord(clientInfo) || !isRecord(clientCapabilities)) return opened
  return { ...opened, client: { protocolVersion, isLocal: isLocal === true, clientInfo, clientCapabilities } }
}

/** Whether a session belongs to this token and endpoint. */
export function isOf({ token, endpoint }: OpenedSession, principal: Principal, at: Endpoint): boolean {
  return token === digest(principal.tokenId) && endpoint === digest(at.id)
}

/** What changes during a session, for the next replica that has it. */
export interface SessionState {
  readonly client?: ClientFacts
  /** The tools that searches added to its list. */
  readonly added: readonly string[]
  /** URIs of the resources that it subscribed to. */
  readonly subscribed: readonly string[]
  readonly logLevel?: string
}

const STATE_PURPOSE = 'session state'
/** Larger states are not kept: such a session begins anew with another replica, with what its id carries. */
const LONGEST_STATE = 64_000

/** Encrypted: it has URIs. Undefined if it is too large. */
export function sealState(state: SessionState, keys: Keys): string | undefined {
  const sealed = seal(state, STATE_PURPOSE, keys)
  return sealed.length <= LONGEST_STATE ? sealed : undefined
}

/** The state; an empty one if it cannot be read. */
export function openState(sealed: string | undefined, keys: Keys): SessionState {
  const value = sealed === undefined ? undefined : unseal(sealed, STATE_PURPOSE, keys)
  return isRecord(value) ? (value as unknown as SessionState) : { added: [], subscribed: [] }
}
