import type { SearchAnswerShown } from '@tooldex/contract/admin'

/** Where a strategy ranks a tool. */
export interface PartRank {
  /** 1 is the first. */
  readonly rank: number
  readonly relevance: number
}

/** Tool key → strategy → rank. */
export type Ranks = ReadonlyMap<string, ReadonlyMap<string, PartRank>>

/** Where each strategy ranks each tool. */
export function ranksOf(answers: readonly Pick<SearchAnswerShown, 'strategy' | 'hits'>[]): Ranks {
  const ranks = new Map<string, Map<string, PartRank>>()
  for (const { strategy, hits } of answers) {
    for (const [place, { toolKey, relevance }] of hits.entries()) {
      const known = ranks.get(toolKey) ?? new Map<string, PartRank>()
      ranks.set(toolKey, known.set(strategy, { rank: place + 1, relevance }))
    }
  }
  return ranks
}

/** The query words that one explanation quotes and the other does not, such as `"delete" in name`. */
export function missingWords(first = '', other = ''): readonly string[] {
  const had = new Set(quoted(other))
  return [...new Set(quoted(first))].filter((word) => !had.has(word))
}

function quoted(explanation: string): string[] {
  return explanation.split(' · ').flatMap((part) => {
    const [, word] = /^"(.+?)(?: → .*)?" in /.exec(part) ?? []
    return word === undefined ? [] : [word]
  })
}
