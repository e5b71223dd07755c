import { byRank } from '../providers/fuse.ts'
import { parseQuery } from '../query/parse-query.ts'
import type { SearchAnswer, SearchHit, SearchProvider, SearchRequest } from '../providers/search-provider.ts'
import type { Evidence, LearnedUses } from './learned-uses.ts'
import { DEPTH, DOUBT_POWER, LIFT, UNFIT_LIFT } from './parameters.ts'

/**
 * Searches with a provider and lifts the tools that were used after like queries. An exact name stays first, a ranking
 * that is sure of its first hit is left as it is, and without evidence the answer is that of the provider. Queries in the
 * query language say themselves what matches; they learn nothing.
 * @param isVisible whether the caller may see a tool; tools that only the uses name are found as well
 */
export async function searchWithUses(
  provider: SearchProvider,
  uses: Pick<LearnedUses, 'evidence'>,
  request: SearchRequest,
  isVisible: (toolId: string) => boolean,
): Promise<SearchAnswer> {
  const plain = request.queries.filter((query) => !parseQuery(query).structured)
  const evidence = uses.evidence(plain, isVisible)
  if (evidence.size === 0) return provider.search(request)
  const answer = await provider.search({ ...request, maxResults: Math.max(request.maxResults, DEPTH) })
  const hits = withoutRises(lifted(answer.hits, evidence, request.explain === true)).slice(0, request.maxResults)
  return { ...answer, hits }
}

function lifted(hits: readonly SearchHit[], evidence: ReadonlyMap<string, Evidence>, explain: boolean): SearchHit[] {
  const named = hits.filter(({ isExact }) => isExact === true)
  const others = hits.filter(({ isExact }) => isExact !== true)
  const doubt = Math.max(0, 1 - (hits[0]?.relevance ?? 0)) ** DOUBT_POWER
  const worst = Math.min(0, others.at(-1)?.score ?? 0)
  const range = Math.max((others[0]?.score ?? 0) - worst, Number.EPSILON)
  const found = new Set(hits.map(({ id }) => id))
  const onlyUsed = [...evidence.keys()].flatMap((id) => (found.has(id) ? [] : [{ id, score: worst, relevance: 0 }]))
  const ranked = [...others, ...onlyUsed].map((hit) => {
    const fit = (hit.score - worst) / range
    const { strength = 0, query = '' } = evidence.get(hit.id) ?? {}
    const score = fit + LIFT * doubt * strength * (UNFIT_LIFT + (1 - UNFIT_LIFT) * fit)
    // Either the ranking is right about a tool, or the past uses are.
    const relevance = hit.relevance + (1 - hit.relevance) * strength
    return { ...hit, score, relevance, ...(explain && strength >= TOLD && { explanation: usedFor(hit, query) }) }
  })
  // An exact name keeps its own score, which is above all others.
  const above = 1 + LIFT
  return [...named.map((hit) => ({ ...hit, score: above + hit.relevance })), ...ranked.filter(isFound).sort(byRank)]
}

/** Evidence from which on an explanation names it. */
const TOLD = 0.05

/** A tool that neither the ranking nor the uses speak for. */
function isFound({ score }: SearchHit): boolean {
  return score > 0
}

function usedFor({ explanation }: SearchHit, query: string): NonNullable<SearchHit['explanation']> {
  const told = `used for "${query.length > 60 ? `${query.slice(0, 60)}…` : query}"`
  if (explanation === undefined) return { matches: [], text: told }
  return { ...explanation, text: `${told}; ${explanation.text}` }
}

/** No tool gets a higher relevance than one ranked before it. */
function withoutRises(hits: readonly SearchHit[]): SearchHit[] {
  let least = 1
  return hits.map((hit) => {
    least = Math.min(least, hit.relevance)
    return { ...hit, relevance: least }
  })
}
