import type { IndexedTool } from '@tooldex/search'
import { serverKey, type ServerStatistics, type WeightedTerm } from '@tooldex/search/store'
import type { ToolsInScope } from './scope-tools.ts'
import { bestTools, countServers, type ScoredTool, type ServerCounts } from './score-tools.ts'
import type { Session } from './session.ts'
import type { Sizes } from './statistics.ts'
import type { Tables } from './tables.ts'
import { among, type TermPostings } from './term-postings.ts'
import { toolOf } from './tool-rows.ts'
import type { ServerLengths, WordCache } from './word-cache.ts'

/** What candidates are looked for in. */
export interface SearchSpace {
  readonly session: Session
  /** What the session sees. */
  readonly version: number
  readonly tables: Tables
  readonly words: WordCache
  readonly sizes: Sizes
  /** The tools that exist for this search, by id and by number; absent for all. */
  readonly scope: readonly string[] | undefined
  readonly tools: ToolsInScope | undefined
}

/** The tools that score best by their words, and what is known of their servers. */
export interface Candidates {
  readonly tools: readonly IndexedTool[]
  readonly servers: ReadonlyMap<string, ServerStatistics>
  readonly serverFrequencies: ReadonlyMap<string, number>
}

/** The postings of stems within the space; those that no tool has are empty. */
export async function postingsIn(space: SearchSpace, stems: Iterable<string>): Promise<Map<string, TermPostings>> {
  const { session, version, words, tools } = space
  const postings = await words.postings(session, version, stems)
  if (tools === undefined) return postings
  return new Map(Array.from(postings, ([stem, each]) => [stem, among(each, tools.numbers)]))
}

/** Finds the tools with the best words, up to a limit. */
export async function bestCandidates(
  space: SearchSpace,
  terms: readonly WeightedTerm[],
  limit: number,
): Promise<Candidates> {
  const { session, version, words, sizes, tools } = space
  const postings = await postingsIn(
    space,
    terms.map(({ stem }) => stem),
  )
  const counts = countServers(postings, (server) => tools === undefined || tools.nameLengths.has(server))
  const servers = new Set([...counts.values()].flatMap((byServer) => [...byServer.keys()]))
  const lengths = await words.servers(session, version, servers)
  const namesIn = (known: ReadonlyMap<number, ServerLengths>, server: number): number =>
    (tools === undefined ? known.get(server)?.names : tools.nameLengths.get(server)) ?? 0
  const serverLength = (server: number): number => (lengths.get(server)?.own ?? 0) + namesIn(lengths, server)
  const best = bestTools({ terms, postings, counts, serverLength, sizes, limit })
  // Servers of which no text and no name has the words are asked for here first.
  const ofBest = await words.servers(
    session,
    version,
    best.map(({ server }) => server).filter((server) => server !== 0),
  )
  const found = await definitionsOf(space, best)
  return {
    tools: found.map(({ tool }) => tool),
    servers: statisticsOf(found, counts, (server) => namesIn(ofBest, server)),
    serverFrequencies: new Map(Array.from(counts, ([stem, byServer]) => [stem, byServer.size])),
  }
}

interface FoundTool {
  readonly tool: IndexedTool
  readonly server: number
}

async function definitionsOf({ session, tables }: SearchSpace, best: readonly ScoredTool[]): Promise<FoundTool[]> {
  const rows = await session.rows<{ number: string; definition: string }>(
    `select number, definition from ${tables.tools} where number = any($1)`,
    [best.map(({ tool }) => tool)],
  )
  const byNumber = new Map(rows.map((row) => [Number(row.number), row]))
  return best.flatMap(({ tool, server }) => {
    const row = byNumber.get(tool)
    return row === undefined ? [] : [{ tool: toolOf(row), server }]
  })
}

function statisticsOf(
  found: readonly FoundTool[],
  counts: ServerCounts,
  nameLength: (server: number) => number,
): Map<string, ServerStatistics> {
  const statistics = new Map<string, ServerStatistics>()
  for (const { tool, server } of found) {
    const key = serverKey(tool)
    if (key === undefined || statistics.has(key)) continue
    const own = Array.from(counts, ([stem, byServer]): [string, number] => [stem, byServer.get(server) ?? 0])
    statistics.set(key, { nameLength: nameLength(server), counts: new Map(own.filter(([, count]) => count > 0)) })
  }
  return statistics
}
