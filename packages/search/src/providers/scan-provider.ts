import type {
  SearchAnswer,
  SearchHit,
  SearchProvider,
  SearchRequest,
  SearchStrategy,
  ToolChange,
} from './search-provider.ts'
import type { IndexedTool } from '../tool/tool.ts'
import { allows } from '../tool/tool-filter.ts'
import { distinctQueries } from './distinct-queries.ts'
import { explainMatches, type WordMatch } from './explain.ts'
import { type FoundTool, fuseRankings } from './fuse.ts'

/** Text of one field past this is not searched: a megabyte of description must not make every search slow. */
export const MOST_FIELD_CHARACTERS = 8192

/** One way to read a query, held against one tool after another. */
export interface ScanQuery<Text> {
  /** 0 for no match, up to 1. Depends on this tool and the query alone. */
  relevance(text: Text): number
  /** The matching words and their fields, of a tool that matches. */
  matches(text: Text): readonly WordMatch[]
}

interface Entry<Text> {
  readonly tool: IndexedTool
  readonly text: Text
}

/** The found tools of one query and the reading of the query that found them. */
interface QueryResult<Text> {
  readonly reading: ScanQuery<Text>
  readonly found: readonly FoundTool[]
}

/**
 * The frame of providers without statistics: they look at every tool, each on its own. So a filter needs no care, and
 * the order in which tools came leaves no trace.
 */
export abstract class ScanProvider<Text> implements SearchProvider {
  abstract readonly strategy: SearchStrategy
  readonly deterministic = true
  readonly #entries = new Map<string, Entry<Text>>()

  /** The texts of a tool to search in. */
  protected abstract read(tool: IndexedTool): Text

  /** The readings of each query, in order of preference; the next one is tried where the one before found nothing. */
  protected abstract prepare(queries: readonly string[]): readonly (readonly ScanQuery<Text>[])[]

  apply(change: ToolChange): void {
    for (const tool of change.removed) this.#entries.delete(tool.id)
    for (const tool of change.added) this.#entries.set(tool.id, { tool, text: this.read(tool) })
    for (const tool of change.changed) this.#entries.set(tool.id, { tool, text: this.read(tool) })
  }

  async search(request: SearchRequest): Promise<SearchAnswer> {
    request.signal?.throwIfAborted()
    const entries = [...this.#entries.values()].filter((entry) => allows(request.within, entry.tool))
    const results = this.prepare(distinctQueries(request.queries)).flatMap((readings) => firstResult(readings, entries))
    const fused = fuseRankings(
      results.map((result) => result.found),
      request.maxResults,
    )
    const hits = request.explain === true ? fused.map((found) => this.#explain(found, results)) : fused
    return { hits, answeredBy: this.strategy }
  }

  #explain(hit: FoundTool, results: readonly QueryResult<Text>[]): SearchHit {
    const text = this.#entries.get(hit.id)?.text
    if (text === undefined) return hit
    const matches = results.flatMap(({ reading }) => (reading.relevance(text) > 0 ? reading.matches(text) : []))
    return { ...hit, explanation: explainMatches(matches) }
  }
}

function firstResult<Text>(
  readings: readonly ScanQuery<Text>[],
  entries: readonly Entry<Text>[],
): readonly QueryResult<Text>[] {
  for (const reading of readings) {
    const found: FoundTool[] = []
    for (const { tool, text } of entries) {
      const relevance = reading.relevance(text)
      if (relevance > 0) found.push({ id: tool.id, score: relevance, relevance })
    }
    if (found.length > 0) return [{ reading, found }]
  }
  return []
}
