import { compareIds } from './compare-ids.ts'

/** A tool that one query found. */
export interface FoundTool extends Ranked {
  readonly relevance: number
  readonly isExact?: true
}

/**
 * How far each of several queries is ranked at least, for any `maxResults`: a tool's relevance is its best over all
 * of them, and must not depend on how many hits are wanted.
 */
const FUSION_DEPTH = 100

/** How many tools to rank for each of so many queries. */
export function rankingDepth(queries: number, maxResults: number): number {
  return queries > 1 ? Math.max(maxResults, FUSION_DEPTH) : maxResults
}

/**
 * Joins the rankings of several queries into one. Several queries are several intents, so the place that a tool has in
 * its best ranking decides: first every query's best tool, then every query's second, and so on. Within a place the
 * more relevant tool is first. Sums of reciprocal ranks would let a tool that is mediocre for two intents push out the
 * best of each.
 *
 * A tool's relevance is its highest over all queries. Hand in all that each query found, in any order: then a longer
 * answer always begins with the shorter one. With one ranking nothing changes.
 */
export function fuseRankings(rankings: readonly (readonly FoundTool[])[], limit: number): FoundTool[] {
  const [only] = rankings
  if (only === undefined) return []
  if (rankings.length === 1) return topRanked(only, limit)
  const places = bestPlaces(rankings, limit)
  const relevances = bestRelevances(rankings, places)
  const exact = new Set(
    rankings.flatMap((ranking) => ranking.flatMap(({ id, isExact }) => (isExact === true ? id : []))),
  )
  const fused = Array.from(places, ([id, place]) => {
    const relevance = relevances.get(id) ?? 0
    return { id, score: fusedScore(place, relevance), relevance, ...(exact.has(id) && { isExact: true as const }) }
  })
  return topRanked(fused, limit)
}

/** The best `limit` of each ranking are enough: no tool of the fused best can be further down in all of them. */
function bestPlaces(rankings: readonly (readonly FoundTool[])[], limit: number): Map<string, number> {
  const places = new Map<string, number>()
  for (const ranking of rankings) {
    for (const [index, { id }] of topRanked(ranking, limit).entries()) {
      places.set(id, Math.min(index + 1, places.get(id) ?? Number.POSITIVE_INFINITY))
    }
  }
  return places
}

function bestRelevances(
  rankings: readonly (readonly FoundTool[])[],
  wanted: ReadonlyMap<string, number>,
): Map<string, number> {
  const relevances = new Map<string, number>()
  for (const ranking of rankings) {
    for (const { id, relevance } of ranking) {
      if (wanted.has(id)) relevances.set(id, Math.max(relevance, relevances.get(id) ?? 0))
    }
  }
  return relevances
}

/** Place `p` owns the scores from 1/(p+1) to 1/p; relevance picks the spot inside. */
function fusedScore(place: number, relevance: number): number {
  const lowest = 1 / (place + 1)
  return lowest + relevance * (1 / place - lowest)
}

/** An item to order: the higher score first. */
interface Ranked {
  readonly id: string
  readonly score: number
}

/** Best first; ties by id, so that the order depends on nothing else. */
export function byRank(a: Ranked, b: Ranked): number {
  return b.score - a.score || compareIds(a.id, b.id)
}

/** The best `limit` in order. A limit that is no positive number takes none. */
export function topRanked<Item extends Ranked>(items: readonly Item[], limit: number): Item[] {
  const wanted = limit >= 1 ? Math.floor(limit) : 0
  if (wanted === 0) return []
  if (items.length <= 2 * wanted) return [...items].sort(byRank).slice(0, wanted)
  return selectTop(items, wanted)
}

/** Sorting all costs more than all the matching when a short list is wanted from many thousand tools. */
function selectTop<Item extends Ranked>(items: readonly Item[], wanted: number): Item[] {
  let kept: Item[] = []
  let worst: Item | undefined
  for (const item of items) {
    if (worst !== undefined && byRank(item, worst) > 0) continue
    kept.push(item)
    if (kept.length < 2 * wanted) continue
    kept = kept.sort(byRank).slice(0, wanted)
    worst = kept[wanted - 1]
  }
  return kept.sort(byRank).slice(0, wanted)
}
