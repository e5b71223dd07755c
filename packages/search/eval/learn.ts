import { LearnedUses, useWeight } from '../src/learning/learned-uses.ts'
import { searchWithUses } from '../src/learning/search-with-uses.ts'
import { HybridProvider } from '../src/providers/hybrid/hybrid-provider.ts'
import type { QueryReader } from '../src/query/query-reader.ts'
import type { Embedder } from '../src/providers/meaning/embedder.ts'
import { textHash } from '../src/vectors/text-hash.ts'
import type { DataSet, EvalQuery } from './data-set.ts'
import type { Outcome, SetOutcomes } from './evaluate.ts'
import { meanFigures, measure } from './metrics.ts'

/** How much of a set serves as the log of what was used. */
export interface LearnOptions {
  /** Of the queries, 0 to 1. */
  readonly share: number
  /** Of the uses, that are of a wrong tool. */
  readonly noise: number
}

/** The parts of the ranker that learns. */
export interface LearnParts {
  readonly embedder: Embedder
  readonly queryReader: QueryReader
}

/** The queries that are not in the log, without and with learning. */
export interface LearnOutcomes extends SetOutcomes {
  /** Of the queries of which no tool was used: how many, and the NDCG@10 that they lost. */
  readonly unlogged?: { readonly queries: number; readonly loss: number }
}

const DEPTH = 10
/** How deep the gateway knows the place of a used tool. */
const KNOWN_DEPTH = 20

/** Ranks the rest of a set with and without what the log tells. The split and the noise depend on ids alone. */
export async function evaluateLearning(
  set: DataSet,
  { share, noise }: LearnOptions,
  { embedder, queryReader }: LearnParts,
): Promise<ReadonlyMap<string, LearnOutcomes>> {
  const provider = new HybridProvider([embedder], { queryReader })
  provider.apply({ added: set.tools.toSorted((a, b) => (a.id < b.id ? -1 : 1)), changed: [], removed: [] })
  await provider.settled()
  const ids = set.tools.map(({ id }) => id).toSorted()
  const embedNow = embedder.embedNow?.bind(embedder)
  const uses = new LearnedUses({ now: () => 0, ...(embedNow !== undefined && { embedNow }) })
  const isLogged = ({ id, task }: EvalQuery): boolean => fraction('split', task ?? id) < share
  const used = new Set<string>()
  for (const { id, queries, relevant } of set.queries.filter(isLogged)) {
    const { hits } = await provider.search({ queries, maxResults: KNOWN_DEPTH })
    for (const right of relevant) {
      const isWrong = fraction('noise', id, right) < noise
      const toolId = isWrong ? (ids[Math.floor(fraction('wrong', id, right) * ids.length)] ?? right) : right
      const place = hits.findIndex((hit) => hit.id === toolId)
      const above = hits.slice(0, Math.max(0, place)).filter((hit) => !relevant.has(hit.id))
      const weight = useWeight(place < 0 ? Number.POSITIVE_INFINITY : above.length)
      for (const query of queries) uses.learn({ query, toolId, weight, at: 0 })
      used.add(toolId)
    }
  }
  const rest = set.queries.filter((query) => !isLogged(query))
  const without = await outcomesOf(rest, (queries) => provider.search({ queries, maxResults: DEPTH }))
  const servers = new Map(set.tools.map(({ id, namespace }) => [id, namespace]))
  const request = (queries: readonly string[]) => ({ queries, maxResults: DEPTH })
  const withUses = await outcomesOf(rest, (queries) =>
    searchWithUses(provider, uses, request(queries), {
      isVisible: (id) => servers.has(id),
      serverOf: (id) => servers.get(id),
    }),
  )
  const isUnlogged = ({ query }: Outcome): boolean => ![...query.relevant].some((id) => used.has(id))
  const [before, after] = [without, withUses].map((all) => all.filter(isUnlogged))
  const loss = ndcgOf(before ?? []) - ndcgOf(after ?? [])
  return new Map<string, LearnOutcomes>([
    ['hybrid', { outcomes: without, absent: [] }],
    ['hybrid+learning', { outcomes: withUses, absent: [], unlogged: { queries: after?.length ?? 0, loss } }],
  ])
}

async function outcomesOf(
  queries: readonly EvalQuery[],
  search: (queries: readonly string[]) => Promise<{ readonly hits: readonly { id: string; relevance: number }[] }>,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = []
  for (const query of queries) {
    const start = performance.now()
    const { hits } = await search(query.queries)
    const ms = performance.now() - start
    const figures = measure(
      hits.map(({ id }) => id),
      query,
    )
    outcomes.push({ query, figures, ms, relevance: hits[0]?.relevance ?? 0 })
  }
  return outcomes
}

function ndcgOf(outcomes: readonly Outcome[]): number {
  return outcomes.length === 0 ? 0 : meanFigures(outcomes.map(({ figures }) => figures)).ndcg10
}

/** A number from 0 to 1 that depends on the texts alone. */
function fraction(...texts: readonly string[]): number {
  return Number.parseInt(textHash(texts).slice(0, 8), 16) / 2 ** 32
}
