import { extentOf } from './definition-limits.ts'
import { SERVER_LIMITS } from './server-limits.ts'

const BURST = 3

/** Limits the requests and notifications that a server sends on its own account, over all its connections. */
export class ServerTraffic {
  readonly #requests: Allowance
  readonly #notifications: Allowance
  readonly #remarks = new Set<string>()
  #open = 0

  /** @param now in milliseconds */
  constructor(now: () => number) {
    this.#requests = new Allowance(SERVER_LIMITS.requestsPerSecond, now)
    this.#notifications = new Allowance(SERVER_LIMITS.notificationsPerSecond, now)
  }

  /** What the server did too much of, one sentence each. */
  get remarks(): readonly string[] {
    return [...this.#remarks]
  }

  /** Whether a request of the server is taken; else the reason, for the server. */
  refusal(params: unknown): string | undefined {
    const { requestsPerSecond, messageCharacters } = SERVER_LIMITS
    if (!extentOf(params, messageCharacters).isWithin) {
      return this.#exceeded(`requests of more than ${messageCharacters} characters`, 'They are refused.')
    }
    if (this.#requests.take()) return undefined
    return this.#exceeded(`more than ${requestsPerSecond} requests a second`, 'The others are refused.')
  }

  /** Whether a notification is passed on. */
  mayNotify(params: unknown): boolean {
    const { notificationsPerSecond, messageCharacters } = SERVER_LIMITS
    if (!this.#notifications.take()) {
      this.#exceeded(`more than ${notificationsPerSecond} notifications a second`, 'The others are dropped.')
      return false
    }
    if (extentOf(params, messageCharacters).isWithin) return true
    this.#exceeded(`notifications of more than ${messageCharacters} characters`, 'They are dropped.')
    return false
  }

  /** Runs the answer to a request of the server; undefined if too many are open. */
  answering<T>(answer: () => Promise<T>): Promise<T> | undefined {
    const { openRequests } = SERVER_LIMITS
    if (this.#open >= openRequests) {
      this.#exceeded(`requests while ${openRequests} others are open`, 'They are refused.')
      return undefined
    }
    this.#open++
    return answer().finally(() => this.#open--)
  }

  #exceeded(what: string, outcome: string): string {
    this.#remarks.add(`It sends ${what}. ${outcome}`)
    return `Too much: ${what}`
  }
}

/** A number of events a second, and three times as many after a pause. */
class Allowance {
  readonly #perSecond: number
  readonly #now: () => number
  #left: number
  #at: number

  constructor(perSecond: number, now: () => number) {
    this.#perSecond = perSecond
    this.#now = now
    this.#left = perSecond * BURST
    this.#at = now()
  }

  take(): boolean {
    const now = this.#now()
    const gained = (Math.max(0, now - this.#at) / 1_000) * this.#perSecond
    this.#left = Math.min(this.#perSecond * BURST, this.#left + gained)
    this.#at = now
    if (this.#left < 1) return false
    this.#left--
    return true
  }
}
