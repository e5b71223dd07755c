import type { IndexedTool } from '../../src/tool/tool.ts'

/** The answer to one question. */
export interface Answer {
  /** The ids of the tools, best first. */
  readonly ids: readonly string[]
  /** How sure the ranker is of the first of them, 0 to 1; peers do not tell. */
  readonly relevance?: number
}

/** Answers one question with at most `limit` tools. */
export type Rank = (queries: readonly string[], limit: number) => Promise<Answer>

/** Something that ranks tools: one of our providers or a peer. */
export interface Ranker {
  readonly name: string
  /** Ours have a ratchet; peers are there for comparison. */
  readonly ours: boolean
  /** Indexes the tools. */
  build(tools: readonly IndexedTool[]): Promise<Rank>
}

/** A peer: it answers one query at a time and its rankings of several intents are fused. */
export function peer(name: string, index: (tools: readonly IndexedTool[]) => Promise<RankOne>): Ranker {
  return {
    name,
    ours: false,
    async build(tools) {
      const rankOne = await index(tools)
      return async (queries, limit) => {
        const rankings = await Promise.all(queries.map(async (query) => rankOne(query, limit)))
        return { ids: fuse(rankings).slice(0, limit) }
      }
    },
  }
}

/** Answers a single query. */
export type RankOne = (query: string, limit: number) => readonly string[] | Promise<readonly string[]>

/** Reciprocal rank fusion with the customary constant: a fair treatment for engines that know one query only. */
export function fuse(rankings: readonly (readonly string[])[]): readonly string[] {
  if (rankings.length === 1) return rankings[0] ?? []
  const scores = new Map<string, number>()
  for (const ranking of rankings) {
    for (const [place, id] of ranking.entries()) scores.set(id, (scores.get(id) ?? 0) + 1 / (60 + place))
  }
  return [...scores].toSorted(([, a], [, b]) => b - a).map(([id]) => id)
}
