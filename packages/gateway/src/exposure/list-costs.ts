import type { EligibleTools } from '../access/eligible-tools.ts'
import { TokenEstimate } from './token-estimate.ts'

/** What the lists that clients of an endpoint loaded cost them. */
export interface ListCost {
  readonly lists: number
  /** Tokens of what was listed. */
  readonly loaded: number
  /** Tokens that a whole list would have cost more. */
  readonly notLoaded: number
}

const NONE: ListCost = { lists: 0, loaded: 0, notLoaded: 0 }
const MOST_ENDPOINTS = 1_000

/** Counts, per endpoint, what clients loaded and what they were spared. A list is measured once, however often it is sent. */
export class ListCosts {
  readonly #tokens = new TokenEstimate()
  readonly #costs = new Map<string, ListCost>()
  readonly #measured = new WeakMap<object, number>()

  note(endpointId: string, listed: readonly object[], eligible: EligibleTools): void {
    const { lists, loaded, notLoaded } = this.of(endpointId)
    if (lists === 0 && this.#costs.size >= MOST_ENDPOINTS) return
    const tokens = this.#measured.get(listed) ?? this.#tokens.ofListing(listed)
    this.#measured.set(listed, tokens)
    const spared = Math.max(0, this.#tokens.ofWhole(eligible) - tokens)
    this.#costs.set(endpointId, { lists: lists + 1, loaded: loaded + tokens, notLoaded: notLoaded + spared })
  }

  of(endpointId: string): ListCost {
    return this.#costs.get(endpointId) ?? NONE
  }
}
