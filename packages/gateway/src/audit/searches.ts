import type { AuditEntry } from '../model/audit.ts'
import { type AuditedSearch, SearchFollowUps } from './search-follow-ups.ts'

/** The searches with the same texts. */
export interface SearchSummary {
  readonly queries: readonly string[]
  searches: number
  foundNothing: number
  ledToNoCall: number
  lastAt: number
}

/** More different texts are not told apart; the rarest would not be read. */
const MOST_TEXTS = 20_000

/** Sums up searches by their texts, most frequent first. */
export async function summariseSearches(
  entries: AsyncIterable<AuditEntry>,
): Promise<{ readonly summaries: readonly SearchSummary[]; readonly withoutTexts: number }> {
  const byTexts = new Map<string, SearchSummary>()
  let withoutTexts = 0
  const summaryOf = ({ queries, at }: AuditedSearch): SearchSummary | undefined => {
    if (queries === undefined) return undefined
    const key = keyOf(queries)
    const known = byTexts.get(key) ?? { queries, searches: 0, foundNothing: 0, ledToNoCall: 0, lastAt: at }
    if (byTexts.size < MOST_TEXTS) byTexts.set(key, known)
    return known
  }
  const followUps = new SearchFollowUps({
    onIgnored: (search) => {
      const summary = search.resultKeys.length === 0 ? undefined : summaryOf(search)
      if (summary !== undefined) summary.ledToNoCall += 1
    },
  })
  for await (const entry of entries) {
    followUps.note(entry)
    if (entry.kind !== 'search' || entry.outcome !== 'ok') continue
    const summary = summaryOf(entry)
    if (summary === undefined) {
      withoutTexts += 1
      continue
    }
    summary.searches += 1
    summary.lastAt = Math.max(summary.lastAt, entry.at)
    if (entry.resultKeys.length === 0) summary.foundNothing += 1
  }
  followUps.end()
  const summaries = [...byTexts.values()].toSorted(
    (one, other) => unanswered(other) - unanswered(one) || other.searches - one.searches || other.lastAt - one.lastAt,
  )
  return { summaries, withoutTexts }
}

/** How many of the searches found nothing or led to no call. */
export const unanswered = ({ foundNothing, ledToNoCall }: SearchSummary): number => foundNothing + ledToNoCall

/** Case and spaces do not tell queries apart. */
function keyOf(queries: readonly string[]): string {
  return JSON.stringify(queries.map((query) => query.trim().toLowerCase().replaceAll(/\s+/g, ' ')))
}
