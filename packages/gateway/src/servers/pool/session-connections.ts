import { GatewayError } from '../../errors.ts'
import type { McpConnection } from '../protocol/mcp-connection.ts'
import type { ClientLink } from '../server.ts'

/** Opens a connection that belongs to one client; `lost` is called when it ends by itself. */
export type OpenForClient = (client: ClientLink, signal: AbortSignal, lost: () => void) => Promise<McpConnection>

interface Entry {
  readonly connection: Promise<McpConnection>
  readonly abort: AbortController
  usedAt: number
  users: number
  /** It has a subscription and has to stay, or notifications would be missed. */
  isPinned: boolean
}

const SWEEP_MS = 30_000
/** The codes of requests that the gateway ended itself. */
const GIVEN_UP: ReadonlySet<string> = new Set(['CALL_CANCELLED', 'SERVER_TIMEOUT'])

/** Whether a server may send requests to this client: sampling, elicitation or roots. */
export function needsOwnConnection(client: ClientLink | undefined): client is ClientLink {
  if (client?.answer === undefined) return false
  return ['sampling', 'elicitation', 'roots'].some((capability) => capability in client.capabilities)
}

/**
 * Connections that belong to one client session each, or to one call at a time, because otherwise a server's request could
 * not be assigned to a client.
 */
export class SessionConnections {
  readonly #open: OpenForClient
  readonly #idleMs: number
  readonly #now: () => number
  readonly #entries = new Map<string, Entry>()
  #sweep: NodeJS.Timeout | undefined

  constructor(open: OpenForClient, idleMs: number, now: () => number) {
    this.#open = open
    this.#idleMs = idleMs
    this.#now = now
  }

  /** Runs work on the session's own connection, which the first use opens. */
  async use<T>(client: ClientLink, pin: boolean, work: (connection: McpConnection) => Promise<T>): Promise<T> {
    const entry = this.#entries.get(client.sessionId) ?? this.#add(client)
    entry.users++
    entry.isPinned ||= pin
    try {
      return await work(await entry.connection)
    } finally {
      entry.users--
      entry.usedAt = this.#now()
    }
  }

  /**
   * Runs work on a connection of the owner that has no other work meanwhile, so that the server's requests on it belong
   * to this work. The connection is closed if the work was abandoned, because the server may still be working on it.
   */
  async useAlone<T>(owner: ClientLink, work: (connection: McpConnection) => Promise<T>): Promise<T> {
    const own = { ...owner, sessionId: this.#unusedId(owner.sessionId) }
    try {
      return await this.use(own, false, work)
    } catch (error) {
      if (error instanceof GatewayError && GIVEN_UP.has(error.code)) void this.close(own.sessionId)
      throw error
    }
  }

  /** Forgets the session's connection, so that the next use opens a new one. */
  async close(sessionId: string, failure?: GatewayError): Promise<void> {
    const entry = this.#entries.get(sessionId)
    if (entry === undefined) return
    this.#entries.delete(sessionId)
    this.#restSweep()
    entry.abort.abort()
    const connection = await entry.connection.catch(() => undefined)
    await connection?.close(failure)
  }

  async closeAll(failure: GatewayError): Promise<void> {
    await Promise.all([...this.#entries.keys()].map((sessionId) => this.close(sessionId, failure)))
  }

  #unusedId(base: string): string {
    for (let number = 0; ; number++) {
      const sessionId = `${base} ${number}`
      const users = this.#entries.get(sessionId)?.users ?? 0
      if (users === 0) return sessionId
    }
  }

  #add(client: ClientLink): Entry {
    const { sessionId } = client
    const abort = new AbortController()
    const forget = () => {
      if (this.#entries.get(sessionId) === entry) this.#entries.delete(sessionId)
      this.#restSweep()
    }
    const connection = this.#open(client, abort.signal, forget)
    const entry: Entry = { connection, abort, usedAt: this.#now(), users: 0, isPinned: false }
    connection.catch(forget)
    this.#sweep ??= setInterval(() => this.#closeIdle(), SWEEP_MS).unref()
    this.#entries.set(sessionId, entry)
    return entry
  }

  #closeIdle(): void {
    const before = this.#now() - this.#idleMs
    for (const [sessionId, entry] of this.#entries) {
      if (entry.users === 0 && !entry.isPinned && entry.usedAt <= before) void this.close(sessionId)
    }
  }

  #restSweep(): void {
    if (this.#entries.size > 0) return
    clearInterval(this.#sweep)
    this.#sweep = undefined
  }
}
