import type { AuditLog } from '../model/audit.ts'

/** A request whose token or sign-in was refused. */
export interface RefusedRequest {
  /** As far as trusted proxies report it; any other proxy in front has one for all. */
  readonly address: string
  /** The code of the error. */
  readonly code: string
  readonly transport: 'streamable-http' | 'admin-api' | 'console'
}

/** The collaborators and limits of {@link Refusals}. */
interface RefusalOptions {
  readonly audit: AuditLog
  readonly now: () => number
  readonly newRequestId: () => string
  /** How long requests of an address are counted for its first entry, in milliseconds. */
  readonly firstWindowMs?: number
  /** The same for further entries of an address that goes on. */
  readonly windowMs?: number
  /** Addresses that are counted at a time; further ones are counted together. */
  readonly mostAddresses?: number
}

interface Counted extends RefusedRequest {
  /** The end of its window, by the monotonic clock. */
  readonly until: number
  readonly requestId: string
  since: number
  count: number
  lastAt: number
}

/** The address of entries that count several. */
const OTHERS = 'other addresses'

/** Codes that refuse a token or its absence. */
const REFUSALS: ReadonlySet<string> = new Set([
  ...['TOKEN_MISSING', 'TOKEN_INVALID', 'TOKEN_EXPIRED', 'TOO_MANY_ATTEMPTS', 'ADMIN_REQUIRED', 'SCOPE_INSUFFICIENT'],
])

/** Counts refused requests by address and code, and records one entry for each window of time instead of one per probe. */
export class Refusals {
  readonly #options: Required<RefusalOptions>
  readonly #counted = new Map<string, Counted>()
  #timer: NodeJS.Timeout | undefined

  constructor(options: RefusalOptions) {
    this.#options = { firstWindowMs: 5_000, windowMs: 10 * 60_000, mostAddresses: 1_000, ...options }
  }

  /** Counts a request; ignores other codes. */
  note(refused: RefusedRequest): void {
    if (!REFUSALS.has(refused.code)) return
    const now = this.#options.now()
    const isFull = !this.#counted.has(keyOf(refused)) && this.#counted.size >= this.#options.mostAddresses
    const told = isFull ? { ...refused, address: OTHERS } : refused
    const counted = this.#counted.get(keyOf(told)) ?? this.#begin(told, now, this.#options.firstWindowMs)
    if (counted.count === 0) counted.since = now
    counted.count += 1
    counted.lastAt = now
    this.#timer ??= setInterval(() => this.flush(), this.#options.firstWindowMs).unref()
  }

  /** Records what was counted in windows that are over; at the end of the process in all. */
  flush(isEnd = false): void {
    const now = this.#options.now()
    for (const [key, counted] of this.#counted) {
      if (!isEnd && counted.until > performance.now()) continue
      this.#counted.delete(key)
      if (counted.count === 0) continue
      this.#record(counted)
      if (!isEnd) this.#begin(counted, now, this.#options.windowMs)
    }
    if (this.#counted.size > 0 && !isEnd) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #begin({ address, code, transport }: RefusedRequest, now: number, windowMs: number): Counted {
    const refused = { address, code, transport }
    const requestId = this.#options.newRequestId()
    const until = performance.now() + windowMs
    const counted: Counted = { ...refused, requestId, until, since: now, count: 0, lastAt: now }
    this.#counted.set(keyOf(refused), counted)
    return counted
  }

  #record({ address, code, transport, since, requestId, count, lastAt }: Counted): void {
    const unknownCaller = { tokenId: '', projectId: '', endpointId: '' }
    const what = { address, count, lastAt, outcome: code, transport }
    this.#options.audit.record({ kind: 'refusal', at: since, requestId, durationMs: 0, ...unknownCaller, ...what })
  }
}

const keyOf = ({ address, code, transport }: RefusedRequest): string => `${transport} ${code} ${address}`
