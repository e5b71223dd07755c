import { setTimeout as delay } from 'node:timers/promises'
import type { MinimalClient } from '../../bench/minimal-client.ts'
import { PATIENCE, promise } from './fault.ts'

const PAUSE_MS = 2
const BASELINE_MS = 400
const LONGEST_STALL_MS = 50

/** Calls a good server all the time, while faults happen elsewhere. */
export class Bystander implements AsyncDisposable {
  readonly #client: MinimalClient
  readonly #tool: string
  #baselineMs = 0
  #slowestMs = 0
  #calls = 0
  #isWatching = true
  #failure: unknown
  #watching: Promise<void> = Promise.resolve()

  constructor(client: MinimalClient, tool: string) {
    this.#client = client
    this.#tool = tool
  }

  /** Measures the usual duration on this machine, then keeps calling. */
  async begin(): Promise<this> {
    const end = performance.now() + BASELINE_MS
    while (performance.now() < end) this.#baselineMs = Math.max(this.#baselineMs, await this.#call())
    this.#watching = this.#watch().catch((error: unknown) => {
      this.#failure = error
    })
    return this
  }

  /** Stops and reports. @throws Broken if calls stalled, or failed */
  async end(): Promise<string> {
    await this[Symbol.asyncDispose]()
    promise(this.#failure === undefined, `another call failed: ${String(this.#failure)}`)
    const stall = Math.max(0, this.#slowestMs - this.#baselineMs)
    promise(stall < LONGEST_STALL_MS * PATIENCE, `other calls stalled ${stall.toFixed(0)} ms longer than usual`)
    return `${this.#calls} other calls stalled ≤ ${stall.toFixed(0)} ms`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isWatching = false
    await this.#watching
  }

  async #watch(): Promise<void> {
    while (this.#isWatching) {
      this.#slowestMs = Math.max(this.#slowestMs, await this.#call())
      this.#calls++
      await delay(PAUSE_MS)
    }
  }

  async #call(): Promise<number> {
    const since = performance.now()
    await this.#client.call(this.#tool, { value: 'here' })
    return performance.now() - since
  }
}
