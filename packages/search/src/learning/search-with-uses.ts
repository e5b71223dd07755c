import { compareIds } from '../providers/compare-ids.ts'
import { parseQuery } from '../query/parse-query.ts'
import type { SearchAnswer, SearchHit, SearchProvider, SearchRequest } from '../providers/search-provider.ts'
import type { LearnedUses, LearntEvidence } from './learned-uses.ts'
import { DEPTH, DOUBT_POWER, LEAST_DOUBT, LIFT, SERVER_FIT_POWER, SERVER_LIFT, UNFIT_LIFT } from './parameters.ts'

/** The tools of a search. */
export interface SearchedTools {
  /** Whether the caller may see a tool; tools that only the uses name are found as well. */
  readonly isVisible: (toolId: string) => boolean
  /** The server of a tool; undefined for one that stands alone. */
  readonly serverOf: (toolId: string) => string | undefined
}

/**
 * Searches with a provider and lifts the tools that were used after like queries. An exact name stays first, a ranking
 * that is sure of its first hit is hardly changed, and without evidence the answer is that of the provider. Queries in the
 * query language say themselves what matches; they learn nothing.
 */
export async function searchWithUses(
  provider: SearchProvider,
  uses: Pick<LearnedUses, 'evidence'>,
  request: SearchRequest,
  { isVisible, serverOf }: SearchedTools,
): Promise<SearchAnswer> {
  const plain = request.queries.filter((query) => !parseQuery(query).structured)
  const evidence = uses.evidence(plain, isVisible, serverOf)
  if (evidence.tools.size === 0) return provider.search(request)
  const answer = await provider.search({ ...request, maxResults: Math.max(request.maxResults, DEPTH) })
  return { ...answer, hits: lifted(answer.hits, evidence, serverOf, request) }
}

/** A hit with its new score and relevance, before either is written. */
interface Lifted {
  readonly hit: SearchHit
  readonly score: number
  readonly relevance: number
}

function lifted(
  hits: readonly SearchHit[],
  { tools, servers, covered }: LearntEvidence,
  serverOf: SearchedTools['serverOf'],
  { maxResults, explain = false }: SearchRequest,
): SearchHit[] {
  const others = hits.filter(({ isExact }) => isExact !== true)
  const doubt = doubtOf(hits[0]?.relevance ?? 0, LEAST_DOUBT * covered)
  const worst = Math.min(0, others.at(-1)?.score ?? 0)
  const range = Math.max((others[0]?.score ?? 0) - worst, Number.EPSILON)
  const lift = (hit: SearchHit): Lifted => {
    const strength = tools.get(hit.id)?.strength ?? 0
    const ofServer = servers.size === 0 ? 0 : (servers.get(serverOf(hit.id) ?? hit.id) ?? 0)
    const fit = (hit.score - worst) / range
    const byUses = LIFT * strength * (UNFIT_LIFT + (1 - UNFIT_LIFT) * fit)
    const score = fit + doubt * (byUses + SERVER_LIFT * ofServer * fit ** SERVER_FIT_POWER)
    // Either the ranking is right about a tool, or the past uses are.
    return { hit, score, relevance: hit.relevance + (1 - hit.relevance) * strength }
  }
  const ranked = others.map(lift)
  const found = new Set(hits.map(({ id }) => id))
  for (const id of tools.keys()) if (!found.has(id)) ranked.push(lift({ id, score: worst, relevance: 0 }))
  const named = hits
    .filter(({ isExact }) => isExact === true)
    .map((named) => ({ hit: named, score: ABOVE_ALL + named.relevance, relevance: named.relevance }))
  const best = [...named, ...ranked.filter(isFound).sort(byScore)].slice(0, maxResults)
  let least = 1
  return best.map(({ hit, score, relevance }) => {
    // No tool gets a higher relevance than one ranked before it.
    least = Math.min(least, relevance)
    const used = explain ? tools.get(hit.id) : undefined
    const told = used !== undefined && used.strength >= TOLD && hit.isExact !== true
    return { ...hit, score, relevance: least, ...(told && { explanation: usedFor(hit, used.query) }) }
  })
}

/** An exact name keeps its own score, which is above all others. */
const ABOVE_ALL = 1 + LIFT + SERVER_LIFT

/** Evidence from which on an explanation names it. */
const TOLD = 0.05

function doubtOf(relevance: number, least: number): number {
  return least + (1 - least) * Math.max(0, 1 - relevance) ** DOUBT_POWER
}

/** False for a tool that neither the ranking nor the uses speak for. */
function isFound({ score }: Lifted): boolean {
  return score > 0
}

function byScore(a: Lifted, b: Lifted): number {
  return b.score - a.score || compareIds(a.hit.id, b.hit.id)
}

function usedFor({ explanation }: SearchHit, query: string): NonNullable<SearchHit['explanation']> {
  const told = `used for "${query.length > 60 ? `${query.slice(0, 60)}…` : query}"`
  if (explanation === undefined) return { matches: [], text: told }
  return { ...explanation, text: `${told}; ${explanation.text}` }
}
