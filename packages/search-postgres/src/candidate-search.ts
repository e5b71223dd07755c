import { Bm25Provider, type IndexedTool, type SearchAnswer, type SearchRequest, type ToolScope } from '@tooldex/search'
import {
  likelyStems,
  type ServerStatistics,
  unknownWords,
  type Wanted,
  wantedBy,
  type WeightedTerm,
  weighTerms,
} from '@tooldex/search/store'
import { bestCandidates, postingsIn, type SearchSpace } from './best-candidates.ts'
import { isStorable } from './database-text.ts'
import { idsOf } from './scope.ts'
import { ScopeTools } from './scope-tools.ts'
import type { Session } from './session.ts'
import { Statistics } from './statistics.ts'
import type { Tables } from './tables.ts'
import { toolOf } from './tool-rows.ts'
import { WordCache } from './word-cache.ts'

/**
 * How many tools are ranked closely at least. Plain words order tools here as there, and only the best few get a closer
 * look; parts of a query and misspelt words change the order, and of what the query language finds some does not match.
 */
const PLAIN_CANDIDATES = 64
/** Where more are asked for, the last ones must be told from those that score the same. */
const MOST_PLAIN_RESULTS = 20
const CANDIDATES = 256
const STRUCTURED_CANDIDATES = 2_000
/** Other queries of one search are left out, as the provider does. */
const MOST_QUERIES = 20
/** A prefix stands for this many words at most. */
const MOST_PREFIX_WORDS = 200

/** What is asked, within which tools. */
export interface CandidateRequest extends Omit<SearchRequest, 'within'> {
  readonly within: ToolScope | undefined
}

/** The answer, with the tools that it names. */
export interface CandidateAnswer extends SearchAnswer {
  readonly tools: ReadonlyMap<string, IndexedTool>
}

/** What the queries of one search found so far. */
class Found {
  readonly tools = new Map<string, IndexedTool>()
  readonly frequencies = new Map<string, number>()
  readonly serverFrequencies = new Map<string, number>()
  readonly servers = new Map<string, ServerStatistics>()

  add(tools: readonly IndexedTool[]): void {
    for (const tool of tools) this.tools.set(tool.id, tool)
  }

  /** Each query knows the counts of its own words only. */
  addServers(servers: ReadonlyMap<string, ServerStatistics>, frequencies: ReadonlyMap<string, number>): void {
    for (const [stem, count] of frequencies) this.serverFrequencies.set(stem, count)
    for (const [key, { nameLength, counts }] of servers) {
      const known = this.servers.get(key)?.counts ?? []
      this.servers.set(key, { nameLength, counts: new Map([...known, ...counts]) })
    }
  }
}

/**
 * Searches without holding the catalog in memory: the database finds the tools with the best words, and `Bm25Provider`
 * ranks these with the statistics of the whole catalog, or of the scope.
 */
export class CandidateSearch {
  readonly strategy = 'bm25'
  readonly #indexId: number
  readonly #tables: Tables
  readonly #statistics: Statistics
  readonly #scopes: ScopeTools
  readonly #words: WordCache

  constructor(indexId: number, tables: Tables) {
    this.#indexId = indexId
    this.#tables = tables
    this.#statistics = new Statistics(indexId, tables)
    this.#scopes = new ScopeTools(indexId, tables)
    this.#words = new WordCache(indexId, tables)
  }

  /** Ranks as of `version`, which must be what the session sees. */
  async search(session: Session, version: number, request: CandidateRequest): Promise<CandidateAnswer> {
    const { within, queries, ...rest } = request
    const sizes = await this.#statistics.of(session, version, within)
    const tools = await this.#scopes.of(session, version, within)
    const words = this.#words
    const space = { session, version, tables: this.#tables, words, sizes, scope: idsOf(within), tools }
    const found = new Found()
    const distinct = new Set(queries.slice(0, MOST_QUERIES))
    for (const query of distinct) {
      const wanted = wantedBy(query)
      // Of several queries the rankings are joined, for which they have to go deeper.
      const isShort = distinct.size === 1 && request.maxResults <= MOST_PLAIN_RESULTS
      const least = isShort ? PLAIN_CANDIDATES : CANDIDATES
      await this.#findByWords(space, wanted, { least, most: request.maxResults }, found)
      found.add(await this.#byName(space, wanted, query.trim()))
      request.signal?.throwIfAborted()
    }
    const { tools: candidates, ...statistics } = found
    const provider = new Bm25Provider({ catalog: { ...sizes, ...statistics } })
    provider.apply({ added: [...candidates.values()], changed: [], removed: [] })
    return { ...(await provider.search({ ...rest, queries })), tools: candidates }
  }

  async #findByWords(
    space: SearchSpace,
    wanted: Wanted,
    { least, most }: { readonly least: number; readonly most: number },
    found: Found,
  ): Promise<void> {
    const terms = await this.#terms(space, wanted, found.frequencies)
    const isPlain = !wanted.severalThings && unknownWords(wanted, found.frequencies).length === 0
    const limit = Math.max(most, wanted.structured ? STRUCTURED_CANDIDATES : isPlain ? least : CANDIDATES)
    if (terms.length === 0) {
      // A query that says only what must not be.
      if (wanted.structured) found.add(await this.#first(space, limit))
      return
    }
    const { tools, servers, serverFrequencies } = await bestCandidates(space, terms, limit)
    found.add(tools)
    found.addServers(servers, serverFrequencies)
  }

  async #terms(space: SearchSpace, wanted: Wanted, frequencies: Map<string, number>): Promise<WeightedTerm[]> {
    const stems = wanted.words.flatMap(({ stem, others }) => [stem, ...others.map((other) => other.stem)])
    await this.#count(space, stems, frequencies)
    const meant = new Map<string, readonly string[]>()
    for (const word of unknownWords(wanted, frequencies)) {
      const likely = likelyStems(word, await this.#termsFrom(space.session, word.slice(0, 1), undefined))
      await this.#count(space, likely, frequencies)
      meant.set(word, likely)
    }
    const words = weighTerms(wanted, space.sizes.count, frequencies, meant)
    return [...words.filter(({ stem }) => frequencies.has(stem)), ...(await this.#prefixTerms(space, wanted))]
  }

  async #prefixTerms({ session }: SearchSpace, { prefixes }: Wanted): Promise<WeightedTerm[]> {
    const terms: WeightedTerm[] = []
    for (const [nth, prefix] of prefixes.entries()) {
      // A stem may be shorter than the beginning of its word: `stori` for `story*`.
      const beginning = prefix.length > 4 ? prefix.slice(0, -2) : prefix
      for (const stem of await this.#termsFrom(session, beginning, MOST_PREFIX_WORDS)) {
        terms.push({ concept: -1 - nth, stem, weight: 1, share: 1 })
      }
    }
    return terms
  }

  /** How many tools have each stem; those that none has are left out. */
  async #count(space: SearchSpace, stems: readonly string[], into: Map<string, number>): Promise<void> {
    const postings = await postingsIn(
      space,
      stems.filter((stem) => !into.has(stem)),
    )
    for (const [stem, { count }] of postings) if (count > 0) into.set(stem, count)
  }

  async #termsFrom(session: Session, beginning: string, limit: number | undefined): Promise<string[]> {
    const rows = await session.rows<{ term: string }>(
      `select term from ${this.#tables.terms} where index_id = $1 and term >= $2 and term < $3 order by term limit $4`,
      // No word has a character beyond the last one of Unicode.
      [this.#indexId, beginning, `${beginning}\u{10ffff}`, limit ?? null],
    )
    return rows.map(({ term }) => term)
  }

  async #byName({ session, scope }: SearchSpace, { names }: Wanted, key: string): Promise<IndexedTool[]> {
    const rows = await session.rows<{ definition: string }>(
      `select definition from ${this.#tables.tools} where index_id = $1 and (folded_name = any($2) or id = $3)
       ${scope === undefined ? '' : 'and id = any($4)'} order by sort_key limit ${STRUCTURED_CANDIDATES}`,
      [this.#indexId, names.filter(isStorable), isStorable(key) ? key : '', ...(scope === undefined ? [] : [scope])],
    )
    return rows.map(toolOf)
  }

  async #first({ session, scope }: SearchSpace, limit: number): Promise<IndexedTool[]> {
    const rows = await session.rows<{ definition: string }>(
      `select definition from ${this.#tables.tools} where index_id = $1
       ${scope === undefined ? '' : 'and id = any($3)'} order by sort_key limit $2`,
      [this.#indexId, limit, ...(scope === undefined ? [] : [scope])],
    )
    return rows.map(toolOf)
  }
}
