import type { Verdict } from '@tooldex/search'
import { isRecord } from '@tooldex/http-kit/json'
import { ALWAYS_LOAD_META_KEY, type ListedTool } from '../exposure/listed-tool.ts'
import type { SearchAsk, SearchOutcome } from '../search/search-outcome.ts'
import type { Reading, SearchView, ToolResult } from './dialect.ts'

/** A tool of the gateway itself. */
export interface OwnTool extends ListedTool {
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
}

/** Keeps clients that defer tools themselves from deferring the search tool. */
export const OWN_META = { [ALWAYS_LOAD_META_KEY]: true } as const

/** The annotations of all search tools. */
export const SEARCH_ANNOTATIONS = {
  title: 'Find tools',
  readOnlyHint: true,
  idempotentHint: true,
  openWorldHint: false,
} as const

/** Information about a search, beside its results. */
interface SearchNotices {
  readonly answeredBy?: string
  /** Whether a tool serves the request. */
  readonly verdict?: Verdict
  /** The configured strategy that could not answer, and the reason. */
  readonly degraded?: { readonly strategy: string; readonly reason: string }
  readonly notice?: string
}

/** The strategy that answered, the verdict, and why the answer is empty or incomplete. */
export function noticesOf(outcome: SearchOutcome): SearchNotices {
  const notice = noticeOf(outcome)
  if (outcome.state === 'off') return { ...(notice !== undefined && { notice }) }
  const { answeredBy, degraded, verdict } = outcome
  return {
    answeredBy,
    ...(verdict !== undefined && { verdict }),
    ...(degraded !== undefined && { degraded: { strategy: degraded.strategy, reason: degraded.reason } }),
    ...(notice !== undefined && { notice }),
  }
}

/** The instructions of servers that an answer carries, if any. */
export function instructionsIn({ instructions = {} }: SearchView): { instructions?: Readonly<Record<string, string>> } {
  return Object.keys(instructions).length === 0 ? {} : { instructions }
}

/** All notices of a search as one line. */
export function noticeOf({ notices }: Pick<SearchOutcome, 'notices'>): string | undefined {
  return notices.length === 0 ? undefined : notices.map(({ text }) => text).join(' ')
}

/** An answer as structured content, and the same as JSON text for clients that read only text. */
export function searchResult(structuredContent: Readonly<Record<string, unknown>>): ToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
}

/** Relevance with two decimals; more would suggest precision that it does not have. */
export function roundRelevance(relevance: number): number {
  return Math.round(relevance * 100) / 100
}

/** Unchecked arguments. */
type RawArguments = Readonly<Record<string, unknown>>

/** The arguments as an object; empty for any other value. */
export function readArguments(input: unknown): RawArguments {
  return isRecord(input) ? input : {}
}

/** Reads the query and lets a dialect read its other arguments. */
export function readSearchArguments(
  input: unknown,
  read: (queries: readonly string[], args: RawArguments) => SearchAsk,
): Reading<SearchAsk> {
  const args = readArguments(input)
  const queries = readQueries(args['query'])
  return 'mistake' in queries ? queries : { value: read(queries.value, args) }
}

/** One query or a list; models send both. Other values than strings are dropped. */
function readQueries(query: unknown): Reading<readonly string[]> {
  const queries = readTexts(query)
  return queries.length === 0 ? { mistake: 'Query is required' } : { value: queries }
}

/** One text or a list. */
export function readTexts(value: unknown): readonly string[] {
  const entries: readonly unknown[] = Array.isArray(value) ? value : [value]
  return entries.filter((entry) => typeof entry === 'string')
}

/** A count: rounded down and clamped; the default for values that are not numbers. Accepts digits in a string. */
export function readCount(count: unknown, limits: { readonly byDefault: number; readonly most: number }): number {
  const number = typeof count === 'string' && count.trim() !== '' ? Number(count) : count
  if (typeof number !== 'number' || Number.isNaN(number)) return limits.byDefault
  return Math.min(Math.max(Math.floor(number), 1), limits.most)
}

/**
 * The answer to invalid arguments of the gateway's own tools: a result that a model can act on. It has no structured content,
 * which older clients would validate against the output schema.
 */
export function invalidArguments(tool: OwnTool, mistake: string): ToolResult {
  const text = `INVALID_ARGUMENTS: ${mistake}. Call ${tool.name} again with arguments of this schema:\n${JSON.stringify(tool.inputSchema)}`
  return { isError: true, content: [{ type: 'text', text }] }
}
