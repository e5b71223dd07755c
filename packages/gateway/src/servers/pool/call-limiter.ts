import { GatewayError } from '../../errors.ts'
import { removeFrom } from '../../remove-from.ts'
import { cancelled, type ServerLabel } from '../protocol/errors.ts'

/** How many calls may wait before the next is refused. */
const DEFAULT_MAX_WAITING = 64

interface Waiting {
  readonly go: () => void
}

/** Limits the number of concurrent calls; some wait in order, the rest are refused at once. */
export class CallLimiter {
  readonly #server: ServerLabel
  readonly #maxRunning: number
  readonly #maxWaiting: number
  /** Longest wait first. */
  readonly #waiting: Waiting[] = []
  #running = 0

  constructor(server: ServerLabel, maxRunning: number, maxWaiting = Math.max(DEFAULT_MAX_WAITING, maxRunning)) {
    this.#server = server
    this.#maxRunning = Math.max(1, maxRunning)
    this.#maxWaiting = maxWaiting
  }

  get hasWaiting(): boolean {
    return this.#waiting.length > 0
  }

  /**
   * Takes a slot, synchronously if one is free. The caller releases it with `leave`.
   * @throws GatewayError SERVER_BUSY, CALL_CANCELLED, later
   */
  enter(signal?: AbortSignal): Promise<void> | undefined {
    if (this.#running >= this.#maxRunning) return this.#turn(signal)
    this.#running++
    return undefined
  }

  /** Waits for a slot, which is handed over directly, so that no other call takes it in between. */
  #turn(signal: AbortSignal | undefined): Promise<void> {
    if (this.#waiting.length >= this.#maxWaiting) return Promise.reject(this.#busy())
    if (signal?.aborted) return Promise.reject(cancelled(this.#server))
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        removeFrom(this.#waiting, entry)
        reject(cancelled(this.#server))
      }
      const entry: Waiting = {
        go: () => {
          signal?.removeEventListener('abort', onAbort)
          resolve()
        },
      }
      this.#waiting.push(entry)
      signal?.addEventListener('abort', onAbort, { once: true })
    })
  }

  /** Releases the slot, or hands it to the next waiting call. */
  leave(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#running--
    else next.go()
  }

  #busy(): GatewayError {
    return new GatewayError('SERVER_BUSY', {
      server: this.#server.name,
      reason: `"${this.#server.name}" has ${this.#running} calls under way and ${this.#waiting.length} waiting`,
      remedy: 'Try again shortly',
    })
  }
}
