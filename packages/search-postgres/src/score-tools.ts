import { saturations, type WeightedTerm } from '@tooldex/search/store'
import type { Sizes } from './statistics.ts'
import type { TermPostings } from './term-postings.ts'

/** By stem: how often each server has it, in its own text and in the names of its tools. */
export type ServerCounts = ReadonlyMap<string, ReadonlyMap<number, number>>

/** What tools are scored by. */
export interface ScoreRequest {
  readonly terms: readonly WeightedTerm[]
  readonly postings: ReadonlyMap<string, TermPostings>
  readonly counts: ServerCounts
  /** Words of a server, those of its tools' names included. */
  readonly serverLength: (server: number) => number
  readonly sizes: Sizes
  readonly limit: number
}

/** A tool that scored well. */
export interface ScoredTool {
  readonly tool: number
  /** 0 for none. */
  readonly server: number
}

/** How often servers have words. @param isVisible whether a server exists for this search */
export function countServers(
  postings: ReadonlyMap<string, TermPostings>,
  isVisible: (server: number) => boolean,
): ServerCounts {
  const counts = new Map<string, ReadonlyMap<number, number>>()
  for (const [stem, { count, nameCounts, servers, said }] of postings) {
    const byServer = new Map([...said].filter(([server]) => isVisible(server)))
    for (let nth = 0; nth < count; nth++) {
      const [server = 0, named = 0] = [servers[nth], nameCounts[nth]]
      if (server !== 0 && named > 0) byServer.set(server, (byServer.get(server) ?? 0) + named)
    }
    if (byServer.size > 0) counts.set(stem, byServer)
  }
  return counts
}

/**
 * The tools with the best words, as `Bm25Provider` scores them before it looks closely: BM25F of the words, plus the
 * server's score as a document of its own, each brought to the best.
 */
export function bestTools(request: ScoreRequest): readonly ScoredTool[] {
  const { sizes, limit } = request
  const { tools, serverOf } = scoreTools(request)
  const servers = scoreServers(request)
  const { serverWeight } = saturations(sizes.averageLength, sizes.averageServerLength)
  const toolUnit = unitOf(tools)
  const serverUnit = sizes.serverCount > 1 ? serverWeight * unitOf(servers) : 0
  const numbers = [...tools.keys()]
  const scores = Float64Array.from(
    numbers,
    (tool) => (tools.get(tool) ?? 0) * toolUnit + (servers.get(serverOf.get(tool) ?? 0) ?? 0) * serverUnit,
  )
  const least = scores.length > limit ? (scores.toSorted()[scores.length - limit] ?? 0) : -Infinity
  return numbers
    .map((tool, nth) => ({ tool, server: serverOf.get(tool) ?? 0, score: scores[nth] ?? 0 }))
    .filter(({ score }) => score >= least)
    .toSorted((one, other) => other.score - one.score || one.tool - other.tool)
    .slice(0, limit)
}

function scoreTools({ terms, postings, sizes }: ScoreRequest): {
  readonly tools: ReadonlyMap<number, number>
  readonly serverOf: ReadonlyMap<number, number>
} {
  const { whole, perLength } = saturations(sizes.averageLength, sizes.averageServerLength).tools
  const serverOf = new Map<number, number>()
  const sums = sumOfConcepts(terms, ({ stem, weight }, best) => {
    const found = postings.get(stem)
    for (let nth = 0; nth < (found?.count ?? 0); nth++) {
      const [tool = 0, frequency = 0, length = 0] = [found?.tools[nth], found?.frequencies[nth], found?.lengths[nth]]
      best(tool, (weight * frequency) / (frequency + whole + perLength * length))
      serverOf.set(tool, found?.servers[nth] ?? 0)
    }
  })
  return { tools: sums, serverOf }
}

function scoreServers({ terms, counts, sizes, serverLength }: ScoreRequest): ReadonlyMap<number, number> {
  const { whole, perLength } = saturations(sizes.averageLength, sizes.averageServerLength).servers
  return sumOfConcepts(terms, ({ stem, share }, best) => {
    const servers = counts.get(stem) ?? new Map<number, number>()
    const rarity = Math.log(1 + (sizes.serverCount - servers.size + 0.5) / (servers.size + 0.5))
    for (const [server, count] of servers) {
      best(server, (share * rarity * count) / (count + whole + perLength * serverLength(server)))
    }
  })
}

/** Of the members of one concept the best counts; concepts add up. */
function sumOfConcepts(
  terms: readonly WeightedTerm[],
  score: (term: WeightedTerm, best: (number: number, score: number) => void) => void,
): ReadonlyMap<number, number> {
  const sums = new Map<number, number>()
  for (const members of Map.groupBy(terms, ({ concept }) => concept).values()) {
    const ofConcept = new Map<number, number>()
    const best = (number: number, each: number): void => {
      if (each > (ofConcept.get(number) ?? -Infinity)) ofConcept.set(number, each)
    }
    for (const term of members) score(term, best)
    for (const [number, each] of ofConcept) sums.set(number, (sums.get(number) ?? 0) + each)
  }
  return sums
}

/** What brings the best score to one. */
function unitOf(scores: ReadonlyMap<number, number>): number {
  let best = 0
  for (const score of scores.values()) if (score > best) best = score
  return best === 0 ? 0 : 1 / best
}
