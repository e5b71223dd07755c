import {
  type Evidence,
  type LearnedUses,
  type SearchAnswer,
  type SearchProvider,
  type SearchRequest,
  searchWithUses,
} from '@tooldex/search'
import type { EligibleTools } from '../../access/eligible-tools.ts'
import { keyOfSearched, ownWordsOf, searchedId, serverOfSearched } from '../../catalog/search-index/indexed-tools.ts'
import type { ToolKey } from '../../model/tool-key.ts'

/** Who searches, among which tools. */
export interface LearntSearch {
  readonly uses: LearnedUses
  readonly eligible: EligibleTools
  /** Explanations quote past queries in full: for administrators, who can list them anyway. */
  readonly isPreview: boolean
  /** Receives the order of the tools before any was lifted. */
  readonly onRanked: (order: readonly ToolKey[]) => void
}

/** Strategies that rank by words or meaning. A pattern has no like queries, and a service is not asked for more results. */
const LEARNING: ReadonlySet<string> = new Set(['lexical', 'bm25', 'embeddings', 'hybrid'])

/** Whether searches with a strategy learn from use. */
export const isLearning = (strategy: string): boolean => LEARNING.has(strategy)

/** Searches, and lifts the eligible tools that were used in this project after like queries. */
export function searchLearnt(
  provider: SearchProvider,
  request: SearchRequest,
  { uses, eligible, isPreview, onRanked }: LearntSearch,
): Promise<SearchAnswer> {
  const { tools } = eligible.project
  const isEligible = (key: string): boolean => eligible.has(key)
  const evidence: LearnedUses['evidence'] = (queries) => {
    const learnt = uses.evidence(queries, isEligible, serverOfSearched)
    const typed = isPreview ? undefined : wordsOf(queries.join(' '))
    const byId = Array.from(learnt.tools, ([key, { strength, query }]): [string, Evidence] => [
      searchedId(key as ToolKey, ownWordsOf(tools.get(key as ToolKey))),
      { strength, query: typed === undefined ? query : onlyTyped(query, typed) },
    ])
    return { ...learnt, tools: new Map(byId) }
  }
  const ranked: SearchProvider = {
    strategy: provider.strategy,
    deterministic: provider.deterministic,
    apply: () => {},
    search: async (asked) => {
      const answer = await provider.search(asked)
      onRanked(answer.hits.map(({ id }) => keyOfSearched(id)))
      return answer
    },
  }
  return searchWithUses(ranked, { evidence }, request, {
    isVisible: () => true,
    serverOf: (id) => serverOfSearched(keyOfSearched(id)),
  })
}

/**
 * A past query with an ellipsis for every word that this caller did not type: what others searched for is not told,
 * and callers with the same tools get the same explanation.
 */
function onlyTyped(past: string, typed: ReadonlySet<string>): string {
  const shown = past.split(' ').map((word) => (isTyped(word, typed) ? word : '…'))
  return shown.filter((word, at) => word !== '…' || shown[at - 1] !== '…').join(' ')
}

/** A plural is the same word: who types `ticket` may read `tickets`. */
function isTyped(word: string, typed: ReadonlySet<string>): boolean {
  const isKnown = (part: string): boolean =>
    typed.has(part) || typed.has(`${part}s`) || (part.endsWith('s') && typed.has(part.slice(0, -1)))
  return [...wordsOf(word)].every(isKnown)
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
}
