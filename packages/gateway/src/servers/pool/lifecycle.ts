import { GatewayError } from '../../errors.ts'
import type { Connect } from '../protocol/connect.ts'
import type { ConnectionEvents, McpConnection } from '../protocol/mcp-connection.ts'
import { RestartPolicy, type RestartFigures } from './restart-policy.ts'
import type { ServerDefinition, ServerState, ServerStatus } from '../../model/server.ts'
import { cancelled, needsLogin } from '../protocol/errors.ts'
import type { ServerTraffic } from '../protocol/server-traffic.ts'
import type { LogBuffer } from '../protocol/log-buffer.ts'
import type { ClientLink } from '../server.ts'

/** The collaborators of a lifecycle. */
export interface LifecycleParts {
  readonly definition: ServerDefinition
  readonly connect: Connect
  readonly logs: LogBuffer
  readonly traffic: ServerTraffic
  readonly now: () => number
  readonly random: () => number
  readonly figures?: RestartFigures | undefined
  readonly events: Omit<ConnectionEvents, 'lost'>
  readonly onState: (status: ServerStatus) => void
  /** Called with every new connection before it is used. */
  readonly onConnected: (connection: McpConnection) => Promise<void>
  /** Whether it starts again by itself, and is never idle. */
  readonly isEager: boolean
  /** Stops after this long without a call; 0 means never. */
  readonly idleStopMs: number
  /** The client that the connection is opened for, with the capabilities to declare; absent if clients share it. */
  readonly owner?: (() => ClientLink) | undefined
  /** Whether another connection found that the server speaks the older protocol. */
  readonly isKnownLegacy?: (() => boolean) | undefined
  /** Whether an idle server must not be stopped now. */
  readonly isWatched: () => boolean
  /** The page on which a person logs in, while one is open. */
  readonly loginUrl?: () => string | undefined
}

/** A refused login is tried again after this long, because the server's settings may have changed. */
const LOGIN_RETRY_MS = 30_000

/** The lifecycle of one connection of a server: one start for all callers, restarts, idle stops, and its state. */
export class Lifecycle {
  readonly #parts: LifecycleParts
  readonly #policy: RestartPolicy
  #state: ServerState
  #since: number
  #lastError: ServerStatus['lastError']
  #starts = 0
  #connection: McpConnection | undefined
  #starting: Promise<McpConnection> | undefined
  #abort = new AbortController()
  #retry: NodeJS.Timeout | undefined
  #idle: NodeJS.Timeout | undefined
  #isStopped: boolean
  #isKnownLegacy = false
  #users = 0
  #usedAt: number

  constructor(parts: LifecycleParts) {
    this.#parts = parts
    this.#policy = new RestartPolicy(() => performance.now(), parts.random, parts.figures)
    const { enabled, isHeld = false, missingValues } = parts.definition
    this.#isStopped = !enabled || isHeld
    this.#state = enabled && isHeld ? 'held' : this.#isStopped ? 'stopped' : 'idle'
    this.#since = this.#usedAt = parts.now()
    if (missingValues !== undefined || isHeld) this.#blame(this.#stopped())
  }

  get connection(): McpConnection | undefined {
    return this.#connection
  }

  get isKnownLegacy(): boolean {
    return this.#isKnownLegacy
  }

  status(): ServerStatus {
    const { id, name } = this.#parts.definition
    const pid = this.#connection?.pid
    const loginUrl = this.#state === 'needs-login' ? this.#parts.loginUrl?.() : undefined
    return {
      id,
      name,
      state: this.#state,
      since: this.#since,
      restarts: Math.max(0, this.#starts - 1),
      ...(pid !== undefined && { pid }),
      ...(this.#connection && { era: this.#connection.era }),
      ...(this.#lastError && { lastError: this.#lastError }),
      ...(loginUrl !== undefined && { loginUrl }),
    }
  }

  /** Whether it runs, or is about to. */
  get isLive(): boolean {
    return this.#connection !== undefined || this.#starting !== undefined
  }

  /** Runs work on the connection, which does not become idle meanwhile. */
  async use<T>(signal: AbortSignal | undefined, work: (connection: McpConnection) => Promise<T>): Promise<T> {
    this.#users++
    try {
      const ready = this.#usable()
      return await work(ready ?? (await this.#ensure(signal)))
    } finally {
      this.#users--
      this.#usedAt = this.#parts.now()
    }
  }

  /** Starts on an operator's request: earlier failures do not count. */
  async start(): Promise<void> {
    if (!this.#parts.definition.enabled || this.#parts.definition.isHeld === true) throw this.#stopped()
    this.#isStopped = false
    this.#policy.forgive()
    await this.#ensure(undefined)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#retry)
    clearTimeout(this.#idle)
    this.#abort.abort()
    const connection = this.#connection
    this.#connection = undefined
    if (this.#state !== 'held') this.#become('stopped')
    await Promise.allSettled([this.#starting, connection?.close(this.#stopped())])
  }

  /** The server requires a login now, though it did not before. */
  loggedOut(failure: GatewayError): void {
    if (this.#isStopped) return
    this.#blame(failure)
    this.#become('needs-login')
  }

  /** The connection, synchronously if it is usable. */
  #usable(): McpConnection | undefined {
    const current = this.#connection
    return !this.#isStopped && current?.isUsable === true && this.#state === 'running' ? current : undefined
  }

  #ensure(signal: AbortSignal | undefined): Promise<McpConnection> {
    if (this.#isStopped) return Promise.reject(this.#stopped())
    const current = this.#usable()
    if (current !== undefined) return Promise.resolve(current)
    const refusal = this.#starting === undefined ? this.#refusal() : undefined
    if (refusal !== undefined) return Promise.reject(refusal)
    const starting = this.#startOnce(this.#policy.waitOnDemand())
    return signal === undefined ? starting : orCancelled(starting, signal, () => cancelled(this.#parts.definition))
  }

  /** All callers share one start. */
  #startOnce(waitMs: number): Promise<McpConnection> {
    if (this.#starting === undefined) {
      clearTimeout(this.#retry)
      this.#abort = new AbortController()
      this.#starting = this.#start(waitMs, this.#abort.signal).finally(() => {
        this.#starting = undefined
      })
      // Callers handle the rejection; without a caller it must not end the process.
      this.#starting.catch(() => {})
    }
    return this.#starting
  }

  async #start(waitMs: number, signal: AbortSignal): Promise<McpConnection> {
    // A failed server stays failed until it answers, so that lists do not flicker with every attempt.
    if (this.#state !== 'failed') this.#become('starting')
    try {
      if (waitMs > 0) await pause(waitMs, signal)
      this.#policy.started()
      this.#starts++
      const connection = await this.#open(signal)
      await this.#parts.onConnected(connection)
      this.#become('running')
      this.#armIdle()
      return connection
    } catch (error) {
      if (signal.aborted) throw this.#stopped()
      this.#startFailed(error)
      throw error
    }
  }

  async #open(signal: AbortSignal): Promise<McpConnection> {
    const { definition, connect, logs, traffic, events, owner, isKnownLegacy } = this.#parts
    const connection: McpConnection = await connect({
      definition,
      signal,
      logs,
      traffic,
      owner: owner?.(),
      isKnownLegacy: this.#isKnownLegacy || isKnownLegacy?.() === true,
      events: { ...events, lost: (failure) => this.#lost(connection, failure) },
    })
    if (signal.aborted) {
      await connection.close()
      throw this.#stopped()
    }
    this.#connection = connection
    this.#isKnownLegacy = connection.era === 'legacy'
    return connection
  }

  #startFailed(error: unknown): void {
    this.#isKnownLegacy = false
    this.#connection = undefined
    this.#blame(error)
    if (error instanceof GatewayError && error.code === 'SERVER_NEEDS_LOGIN') return this.#become('needs-login')
    this.#policy.failed()
    this.#become('failed')
    // The next call of a client starts its instance again.
    if (this.#parts.owner === undefined || this.#isWanted()) this.#retryLater()
  }

  #lost(connection: McpConnection, failure: GatewayError): void {
    if (this.#connection !== connection || this.#isStopped) return
    this.#connection = undefined
    this.#blame(failure)
    if (connection.answered > 0) this.#policy.crashed()
    else this.#policy.failed()
    if (this.#starting !== undefined) return
    if (this.#policy.isOpen) this.#become('failed')
    else if (this.#isWanted()) this.#become('starting')
    else return this.#become('idle')
    this.#retryLater()
  }

  #retryLater(): void {
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => void this.#startOnce(0), this.#policy.waitUnasked()).unref()
  }

  #isWanted(): boolean {
    return this.#parts.isEager || this.#parts.isWatched()
  }

  #armIdle(): void {
    const { isEager, idleStopMs, now } = this.#parts
    clearTimeout(this.#idle)
    if (isEager || idleStopMs === 0) return
    const left = this.#users > 0 ? idleStopMs : Math.max(1, this.#usedAt + idleStopMs - now())
    this.#idle = setTimeout(() => this.#stopIfIdle(), left).unref()
  }

  #stopIfIdle(): void {
    const { idleStopMs, now, isWatched } = this.#parts
    const isIdle = this.#users === 0 && !isWatched() && now() - this.#usedAt >= idleStopMs
    if (!isIdle || this.#state !== 'running') return this.#armIdle()
    const connection = this.#connection
    this.#connection = undefined
    this.#become('idle')
    void connection?.close()
  }

  #refusal(): GatewayError | undefined {
    const { definition, now } = this.#parts
    const isFreshRefusal = this.#state === 'needs-login' && Math.abs(now() - this.#since) < LOGIN_RETRY_MS
    if (isFreshRefusal) return needsLogin(definition)
    if (!this.#policy.isOpen) return undefined
    return new GatewayError('SERVER_FAILED', {
      server: definition.name,
      reason: this.#lastError?.message ?? `"${definition.name}" could not be started`,
      retryAt: new Date(now() + this.#policy.openMs).toISOString(),
      remedy: `The next try is in ${Math.ceil(this.#policy.openMs / 1000)} s`,
    })
  }

  #stopped(): GatewayError {
    const { id, name, enabled, missingValues, isHeld } = this.#parts.definition
    if (missingValues !== undefined) return needsValues(id, name, missingValues)
    if (isHeld === true) return heldForApproval(id, name)
    return new GatewayError('SERVER_STOPPED', {
      server: name,
      reason: `"${name}" ${enabled ? 'was stopped' : 'is disabled'}`,
      remedy: enabled ? 'Start it first' : 'Enable it first',
    })
  }

  #blame(error: unknown): void {
    const code = error instanceof GatewayError ? error.code : 'INTERNAL'
    const message = error instanceof Error ? error.message : 'unknown'
    this.#lastError = { code, message, at: this.#parts.now() }
  }

  #become(state: ServerState): void {
    if (state === this.#state) return
    this.#state = state
    this.#since = this.#parts.now()
    this.#parts.onState(this.status())
  }
}

function heldForApproval(id: string, name: string): GatewayError {
  return new GatewayError('SERVER_HELD', {
    server: name,
    reason: `the command line or address of "${name}" changed`,
    remedy: `Look at it and approve it: tooldex review show ${id}`,
  })
}

/** The failure of a server whose configuration refers to values that are not set. */
function needsValues(id: string, name: string, values: readonly string[]): GatewayError {
  const [first = ''] = values
  return new GatewayError('SERVER_STOPPED', {
    server: name,
    reason: `"${name}" needs a value for ${values.join(', ')}`,
    remedy: `Give it with: tooldex server set ${id} --input ${first}=…`,
  })
}

/** Waits; rejects when the signal fires. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  return promise.finally(() => clearTimeout(timer))
}

/** A caller that cancels stops waiting; the work goes on for the others. */
function orCancelled<T>(work: Promise<T>, signal: AbortSignal, failure: () => Error): Promise<T> {
  if (signal.aborted) return Promise.reject(failure())
  const { promise, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(failure())
  signal.addEventListener('abort', onAbort, { once: true })
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', onAbort))
}
