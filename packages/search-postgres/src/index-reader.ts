import {
  type IndexedTool,
  type SearchHit,
  type SearchResults,
  type SearchStrategy,
  type ToolMatch,
  verdictOf,
} from '@tooldex/search'
import { allows, clampRelevance, type ResultRange, type SearchArguments, ToolSummaries } from '@tooldex/search/store'
import { CandidateSearch } from './candidate-search.ts'
import type { IndexChanges } from './index-changes.ts'
import type { ResidentProvider } from './resident-provider.ts'
import { idsOf, scopeOf } from './scope.ts'
import type { Transactions } from './session.ts'
import type { Tables } from './tables.ts'
import type { ToolRows } from './tool-rows.ts'

/** What searches are answered from. */
export interface ReaderParts {
  readonly transactions: Transactions
  readonly tables: Tables
  readonly rows: ToolRows
  readonly changes: IndexChanges
}

/** Results and the version of the index that they are of. */
export interface VersionedResults {
  readonly results: SearchResults
  readonly version: number
}

/** Hits whose tools are looked up in one statement. */
const LOOKED_UP = 100

/** Answers searches from the database, or from a provider that was handed in. */
export class IndexReader {
  readonly #parts: ReaderParts
  readonly #candidates: CandidateSearch
  readonly #summaries = new ToolSummaries()

  constructor(indexId: number, parts: ReaderParts) {
    this.#parts = parts
    this.#candidates = new CandidateSearch(indexId, parts.tables)
  }

  get strategy(): SearchStrategy {
    return this.#parts.changes.resident?.provider.strategy ?? this.#candidates.strategy
  }

  /** Whether the same question has the same answer. */
  get deterministic(): boolean {
    return this.#parts.changes.resident?.provider.deterministic ?? true
  }

  /** The results in `range`. Without a query, the tools by id: nothing was asked, so nothing is relevant. */
  async results(asked: SearchArguments, range: ResultRange): Promise<VersionedResults> {
    if (asked.queries.length === 0) return this.#first(asked, range)
    const { resident } = this.#parts.changes
    return resident === undefined ? this.#found(asked, range) : this.#provided(resident, asked, range)
  }

  async #first({ within }: SearchArguments, range: ResultRange): Promise<VersionedResults> {
    const { transactions, rows, changes } = this.#parts
    return transactions.read(async (session) => {
      const scope = await scopeOf(within, () => rows.all(session))
      const tools = await rows.slice(session, idsOf(scope), range)
      const results = tools.map((tool) => this.#summaries.toMatch(tool, { score: 0, relevance: 0 }))
      return { results: { results, answeredBy: 'none' }, version: await changes.log.version(session) }
    })
  }

  async #found(
    { queries, within, extras, minRelevance }: SearchArguments,
    range: ResultRange,
  ): Promise<VersionedResults> {
    const { transactions, rows, changes } = this.#parts
    return transactions.read(async (session) => {
      const version = await changes.log.version(session)
      const scope = await scopeOf(within, () => rows.all(session))
      const request = { queries, within: scope, maxResults: range.ranked, ...extras }
      const { hits, tools, answeredBy } = await this.#candidates.search(session, version, request)
      const picked = new Matches(this.#summaries, range, minRelevance)
      for (const hit of hits) picked.add(hit, tools.get(hit.id))
      const verdict = verdictOf(hits[0]?.relevance)
      return { results: { results: picked.matches, answeredBy, verdict }, version }
    })
  }

  async #provided(
    { provider }: ResidentProvider,
    asked: SearchArguments,
    range: ResultRange,
  ): Promise<VersionedResults> {
    const { transactions, rows, changes } = this.#parts
    await changes.catchUp()
    const version = changes.version
    const { queries, within, extras, minRelevance } = asked
    const request = { queries, maxResults: range.ranked, ...(within !== undefined && { within }), ...extras }
    const { hits, ...said } = await provider.search(request)
    // A provider can be anyone's: what it may not see, names twice or has not heard was removed is left out here.
    const picked = new Matches(this.#summaries, range, minRelevance)
    await transactions.read(async (session) => {
      for (let at = 0; at < hits.length && !picked.isFull; at += LOOKED_UP) {
        const some = hits.slice(at, at + LOOKED_UP)
        const entries = await rows.entries(
          session,
          some.map(({ id }) => id),
        )
        for (const hit of some) {
          const tool = entries.get(hit.id)?.tool
          if (tool !== undefined && allows(within, tool)) picked.add(hit, tool)
        }
      }
    })
    return { results: { verdict: verdictOf(hits[0]?.relevance), results: picked.matches, ...said }, version }
  }
}

/** Picks the matches of a range from hits. */
class Matches {
  readonly matches: ToolMatch[] = []
  readonly #summaries: ToolSummaries
  readonly #range: ResultRange
  readonly #minRelevance: number
  readonly #seen = new Set<string>()

  constructor(summaries: ToolSummaries, range: ResultRange, minRelevance: number) {
    this.#summaries = summaries
    this.#range = range
    this.#minRelevance = minRelevance
  }

  get isFull(): boolean {
    return this.matches.length === this.#range.count
  }

  add(hit: SearchHit, tool: IndexedTool | undefined): void {
    if (this.isFull || tool === undefined || this.#seen.has(hit.id)) return
    if (clampRelevance(hit.relevance) < this.#minRelevance) return
    this.#seen.add(hit.id)
    if (this.#seen.size > this.#range.offset) this.matches.push(this.#summaries.toMatch(tool, hit))
  }
}
