import { createQueryReader } from '@tooldex/languages'
import { WordSearch } from '../../src/providers/bm25/word-search.ts'
import { MeaningSearch } from '../../src/providers/meaning/meaning-search.ts'
import { type Evidence, featuresOf, type ModelledRanking } from '../../src/providers/relevance-model.ts'
import type { SearchHit, SearchRequest } from '../../src/providers/search-provider.ts'
import type { DataSet, EvalQuery } from '../data-set.ts'
import { lazyStaticEmbedder } from '../embedders.ts'
import { EVERYDAY_REQUESTS } from './everyday-requests.ts'

/** A first hit of which it is known whether it is right. */
export interface Observation {
  readonly set: string
  readonly features: readonly number[]
  readonly isRight: boolean
  /** Which queries of the set it is about. */
  readonly kind: 'present' | 'absent' | 'removed' | 'everyday'
  /** How much it counts in fitting. */
  readonly weight: number
}

type Search = (
  request: SearchRequest,
  observe: (evidence: Evidence) => void,
) => readonly SearchHit[] | Promise<readonly SearchHit[]>

/** The weight of a set, however many queries it has; judged short requests are nearest to what agents send. */
const SET_WEIGHT = 300
const SHORT_SET_WEIGHT = 900
const SHORT_WORDS = 4
/** The weight of a set's queries without the tools that serve them, beside the queries themselves. */
const REMOVED_WEIGHT = 30
/** The weight of everyday requests, asked of all tools of a set and of its first few. */
const EVERYDAY_WEIGHT = 30
const FEW_TOOLS = 8

const queryReader = createQueryReader()
const embedder = lazyStaticEmbedder()

/** The first hits of every ranking for the queries of a set, exact names aside: those are certain. */
export async function observe(set: DataSet, ranking: ModelledRanking): Promise<readonly Observation[]> {
  const search = searchOf(set.tools, ranking)
  const answer = async (queries: readonly string[], gone?: ReadonlySet<string>) => {
    const seen: Evidence[] = []
    const within = gone === undefined ? {} : { within: ({ id }: { readonly id: string }) => !gone.has(id) }
    const hits = await search({ queries, maxResults: 10, ...within }, (evidence) => seen.push(evidence))
    const [evidence] = seen
    return evidence === undefined || hits[0]?.relevance === 1 ? undefined : { evidence, first: hits[0]?.id ?? '' }
  }
  const found: Omit<Observation, 'weight'>[] = []
  const note = async (query: Pick<EvalQuery, 'queries'>, kind: Observation['kind'], relevant?: ReadonlySet<string>) => {
    // Several intents have several first hits.
    if (query.queries.length > 1) return
    const seen = await answer(query.queries, kind === 'removed' ? relevant : undefined)
    if (seen === undefined) return
    const isRight = kind === 'present' && relevant?.has(seen.first) === true
    found.push({ set: set.name, features: featuresOf(seen.evidence), isRight, kind })
  }
  for (const query of set.queries) {
    await note(query, 'present', query.relevant)
    // Graded queries name every tool that would do: without these tools nothing is left to find.
    if (query.grades !== undefined) await note(query, 'removed', new Set([...query.relevant, ...query.grades.keys()]))
  }
  for (const query of set.absent) await note(query, 'absent')
  for (const tools of [set.tools, set.tools.slice(0, FEW_TOOLS)]) {
    const ask = searchOf(tools, ranking)
    for (const query of EVERYDAY_REQUESTS) {
      await ask({ queries: [query], maxResults: 2 }, (evidence) =>
        found.push({ set: set.name, features: featuresOf(evidence), isRight: false, kind: 'everyday' }),
      )
    }
  }
  return weighted(found, isShort(set) ? SHORT_SET_WEIGHT : SET_WEIGHT)
}

function searchOf(tools: DataSet['tools'], ranking: ModelledRanking): Search {
  const added = tools.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const change = { added, changed: [], removed: [] }
  if (ranking === 'words') {
    const words = new WordSearch(queryReader)
    words.apply(change)
    return (request, seen) => words.search(request, seen)
  }
  const meaning = new MeaningSearch([embedder()], ranking === 'both', { queryReader })
  meaning.apply(change)
  return async (request, seen) => (await meaning.search(request, seen)).hits
}

function weighted(found: readonly Omit<Observation, 'weight'>[], ofSet: number): readonly Observation[] {
  const countOf = (kind: Observation['kind']): number => found.filter((one) => one.kind === kind).length
  const [removed, everyday] = [countOf('removed'), countOf('everyday')]
  const ofQuery = ofSet / (found.length - removed - everyday)
  const weights = {
    present: ofQuery,
    absent: ofQuery,
    removed: REMOVED_WEIGHT / removed,
    everyday: EVERYDAY_WEIGHT / everyday,
  }
  return found.map((one) => ({ ...one, weight: weights[one.kind] }))
}

function isShort({ queries }: DataSet): boolean {
  if (queries.some(({ grades }) => grades === undefined)) return false
  const words = queries.map((query) => query.queries.join(' ').split(/\s+/).length).toSorted((a, b) => a - b)
  return (words[Math.floor(words.length / 2)] ?? 0) <= SHORT_WORDS
}
