import { saturations, type WeightedTerm } from '@tooldex/search/store'
import { ConceptBoard } from './concept-board.ts'
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
  const { tools, servers: serverOf } = scoreTools(request)
  const servers = scoreServers(request)
  const [bestTool, bestServer] = [tools.best(), servers.best()]
  const { serverWeight } = saturations(sizes)
  const toolUnit = unitOf(tools, bestTool)
  const serverUnit = sizes.serverCount > 1 ? serverWeight * unitOf(servers, bestServer) : 0
  const totals = new Float64Array(tools.scores.length)
  for (let slot = 0; slot < totals.length; slot++) {
    const ofServer = servers.scoreOf(serverOf[slot] ?? 0)
    totals[slot] = (tools.scores[slot] ?? 0) * toolUnit + ofServer * serverUnit
  }
  const chosen = bestSlots(totals, tools.numbers, limit)
  // Whoever ranks them brings scores to the best as well: the best must be among them.
  if (bestTool !== undefined) chosen.add(bestTool)
  const ofBestServer = bestServer === undefined ? -1 : serverOf.indexOf(servers.numbers[bestServer] ?? 0)
  if (ofBestServer !== -1) chosen.add(ofBestServer)
  return Array.from(chosen, (slot) => ({ tool: tools.numbers[slot] ?? 0, server: serverOf[slot] ?? 0 }))
}

/** Best first; of equal ones the lower number. */
function bestSlots(totals: Float64Array, numbers: readonly number[], limit: number): Set<number> {
  const least = totals.length > limit ? (totals.toSorted()[totals.length - limit] ?? 0) : -Infinity
  const slots: number[] = []
  for (let slot = 0; slot < totals.length; slot++) if ((totals[slot] ?? 0) >= least) slots.push(slot)
  slots.sort((one, other) => (totals[other] ?? 0) - (totals[one] ?? 0) || (numbers[one] ?? 0) - (numbers[other] ?? 0))
  return new Set(slots.slice(0, limit))
}

/** The scores of tools, and their servers by the same slots. */
function scoreTools({ terms, postings, sizes }: ScoreRequest): { tools: ConceptBoard; servers: readonly number[] } {
  const { whole, perLength } = saturations(sizes).tools
  const tools = new ConceptBoard()
  const serverOf: number[] = []
  for (const members of byConcept(terms)) {
    tools.nextConcept()
    for (const { stem, weight } of members) {
      const found = postings.get(stem)
      if (found === undefined) continue
      const { count, frequencies, lengths, servers } = found
      for (let nth = 0; nth < count; nth++) {
        const frequency = frequencies[nth] ?? 0
        const score = (weight * frequency) / (frequency + whole + perLength * (lengths[nth] ?? 0))
        serverOf[tools.add(found.tools[nth] ?? 0, score)] = servers[nth] ?? 0
      }
    }
  }
  return { tools, servers: serverOf }
}

function scoreServers({ terms, counts, sizes, serverLength }: ScoreRequest): ConceptBoard {
  const { whole, perLength } = saturations(sizes).servers
  const board = new ConceptBoard()
  for (const members of byConcept(terms)) {
    board.nextConcept()
    for (const { stem, share } of members) {
      const servers = counts.get(stem)
      if (servers === undefined) continue
      const rarity = Math.log(1 + (sizes.serverCount - servers.size + 0.5) / (servers.size + 0.5))
      for (const [server, count] of servers) {
        board.add(server, (share * rarity * count) / (count + whole + perLength * serverLength(server)))
      }
    }
  }
  return board
}

function byConcept(terms: readonly WeightedTerm[]): Iterable<readonly WeightedTerm[]> {
  return Map.groupBy(terms, ({ concept }) => concept).values()
}

/** What brings the best score to one. */
function unitOf({ scores }: ConceptBoard, best: number | undefined): number {
  const score = best === undefined ? 0 : (scores[best] ?? 0)
  return score === 0 ? 0 : 1 / score
}
