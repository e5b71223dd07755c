import { GatewayError } from '../../errors.ts'
import { removeFrom } from '../../remove-from.ts'
import { cancelled, type ServerLabel } from '../protocol/errors.ts'

/** How many calls run at a time, and which may wait. */
export interface CallLimits {
  /** Asked anew with every call; at least one runs. */
  readonly maxRunning: () => number
  /** A call that got no turn in this time fails. */
  readonly maxWaitMs: number
  /** Bounds the memory of waiting calls. Default 10,000. */
  readonly maxWaiting?: number
  /** Bounds the memory of their arguments. Default 64 MB. */
  readonly maxWaitingBytes?: number
}

/** A call that asks for its turn. */
export interface EnteringCall {
  readonly signal?: AbortSignal | undefined
  /** Callers take turns, so that many calls of one do not delay the others. */
  readonly caller?: string | undefined
  /** The size of its arguments; asked only if it has to wait. */
  readonly bytes?: () => number
}

interface Waiting {
  readonly bytes: number
  readonly since: number
  readonly go: () => void
}

const MAX_WAITING = 10_000
const MAX_WAITING_BYTES = 64 * 1024 * 1024

/** Limits the number of concurrent calls; the others wait for their turn until their deadline. */
export class CallLimiter {
  readonly #server: ServerLabel
  readonly #limits: Required<CallLimits>
  /** By caller: the one whose turn is next comes first, and of each the longest wait first. */
  readonly #waiting = new Map<string, Waiting[]>()
  #running = 0
  #count = 0
  #bytes = 0
  /** How long the latest call waited that got its turn. */
  #latestWaitMs: number

  constructor(server: ServerLabel, limits: CallLimits) {
    this.#server = server
    this.#limits = { maxWaiting: MAX_WAITING, maxWaitingBytes: MAX_WAITING_BYTES, ...limits }
    this.#latestWaitMs = limits.maxWaitMs
  }

  /** Calls under way. */
  get running(): number {
    return this.#running
  }

  get hasWaiting(): boolean {
    return this.#count > 0
  }

  /**
   * Takes a slot, synchronously if one is free. The caller releases it with `leave`.
   * @throws GatewayError SERVER_BUSY, CALL_CANCELLED, later
   */
  enter(call: EnteringCall = {}): Promise<void> | undefined {
    if (!this.#hasRoom) return this.#turn(call)
    this.#running++
    return undefined
  }

  /** Waits for a slot, which is taken for it before it goes on, so that no other call takes it in between. */
  #turn({ signal, caller = '', bytes: sizeOf = () => 0 }: EnteringCall): Promise<void> {
    if (signal?.aborted) return Promise.reject(cancelled(this.#server))
    const { maxWaiting, maxWaitingBytes, maxWaitMs } = this.#limits
    const bytes = this.#count < maxWaiting ? sizeOf() : 0
    if (this.#count >= maxWaiting || this.#bytes + bytes > maxWaitingBytes) return Promise.reject(this.#busy())
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#remove(caller, entry)
        clearTimeout(deadline)
        signal?.removeEventListener('abort', onAbort)
      }
      const onAbort = (): void => {
        leave()
        reject(cancelled(this.#server))
      }
      const deadline = setTimeout(() => {
        const busy = this.#busy()
        leave()
        reject(busy)
      }, maxWaitMs)
      const go = (): void => {
        leave()
        resolve()
      }
      const entry: Waiting = { bytes, since: performance.now(), go }
      const ofCaller = this.#waiting.get(caller) ?? []
      ofCaller.push(entry)
      this.#waiting.set(caller, ofCaller)
      this.#count++
      this.#bytes += bytes
      signal?.addEventListener('abort', onAbort, { once: true })
    })
  }

  /** Releases the slot; the next waiting call gets it. */
  leave(): void {
    this.#running--
    this.admit()
  }

  /** Gives waiting calls their turn while there is room, such as after the limit was raised. */
  admit(): void {
    for (const [caller, entries] of this.#waiting) {
      if (!this.#hasRoom) return
      const [next] = entries
      // The caller goes to the end of the line with its other calls.
      this.#waiting.delete(caller)
      this.#waiting.set(caller, entries)
      if (next === undefined) continue
      this.#latestWaitMs = performance.now() - next.since
      this.#running++
      next.go()
    }
  }

  get #hasRoom(): boolean {
    return this.#running < Math.max(1, this.#limits.maxRunning())
  }

  #remove(caller: string, entry: Waiting): void {
    const entries = this.#waiting.get(caller)
    if (entries === undefined || !removeFrom(entries, entry)) return
    if (entries.length === 0) this.#waiting.delete(caller)
    this.#count--
    this.#bytes -= entry.bytes
  }

  #busy(): GatewayError {
    return new GatewayError('SERVER_BUSY', {
      server: this.#server.name,
      reason: `"${this.#server.name}" has ${this.#running} calls under way and ${this.#count} waiting`,
      retryAfter: Math.max(1, Math.ceil(Math.min(this.#latestWaitMs, this.#limits.maxWaitMs) / 1_000)),
      remedy: 'Try again after the seconds in retryAfter, or raise `limits.maxConcurrentCalls` of the server',
    })
  }
}
