import type { SearchOutcome } from '../search/search-outcome.ts'
import { SEARCH_IS_OFF } from './own-tool.ts'

/** What an answer says about itself beside its results. */
export interface SearchNotices {
  readonly answeredBy?: string
  /** The strategy that was asked for but could not answer, and why. */
  readonly degraded?: { readonly strategy: string; readonly reason: string }
  readonly notice?: string
}

/** Who answered; and in a sentence what is unusual about it, if anything is. */
export function noticesOf(outcome: SearchOutcome): SearchNotices {
  if (outcome.state === 'off') return { notice: SEARCH_IS_OFF }
  const { answeredBy, degraded } = outcome
  if (degraded === undefined) return { answeredBy }
  const notice = `${degraded.strategy} search could not answer (${degraded.reason}); ${answeredBy} answered instead.`
  return { answeredBy, degraded: { strategy: degraded.strategy, reason: degraded.reason }, notice }
}

/** Structured content, and the same as JSON text for clients that hand only text to the model. */
export function structuredResult(structuredContent: Readonly<Record<string, unknown>>): {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[]
  readonly structuredContent: Readonly<Record<string, unknown>>
} {
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
}

/** Relevance with two decimals: more would pretend. */
export function roundRelevance(relevance: number): number {
  return Math.round(relevance * 100) / 100
}
