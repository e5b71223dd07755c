import { isRecord } from '@tooldex/http-kit/json'
import { ALWAYS_LOAD_META_KEY, type ListedTool } from '../exposure/listed-tool.ts'
import type { FoundTool, SearchOutcome } from '../search/search-outcome.ts'
import type { Reading, ToolResult } from './dialect.ts'

/** A tool of the gateway itself. */
export interface OwnTool extends ListedTool {
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
}

/** A client that defers tools by itself must not hide our search behind its own. */
export const OWN_META = { [ALWAYS_LOAD_META_KEY]: true } as const

/** What searching may do: nothing but look, among tools that are known. */
export const SEARCH_ANNOTATIONS = {
  title: 'Find tools',
  readOnlyHint: true,
  idempotentHint: true,
  openWorldHint: false,
} as const

/** The one who can change what a client cannot. */
const SEARCH_IS_OFF =
  'Tool search is off for this project. Whoever administers the gateway can turn it on in the settings of the project, by choosing a search strategy.'

/** What an answer says about itself beside its results. */
interface SearchNotices {
  readonly answeredBy?: string
  /** The strategy that was asked for but could not answer, and why. */
  readonly degraded?: { readonly strategy: string; readonly reason: string }
  readonly notice?: string
}

/** Who answered; and in a sentence what is unusual about it, if anything is. */
export function noticesOf(outcome: SearchOutcome): SearchNotices {
  if (outcome.state === 'off') return { notice: SEARCH_IS_OFF }
  const { answeredBy, degraded } = outcome
  if (degraded === undefined) return { answeredBy }
  const notice = `${degraded.strategy} search could not answer (${degraded.reason}); ${answeredBy} answered instead.`
  return { answeredBy, degraded: { strategy: degraded.strategy, reason: degraded.reason }, notice }
}

/** What was found and the notices as structured content, and the same as JSON text for clients that read only text. */
export function searchResult(
  outcome: SearchOutcome,
  field: 'results' | 'tool_references',
  render: (found: FoundTool) => Readonly<Record<string, unknown>>,
): ToolResult {
  const found = outcome.state === 'off' ? [] : outcome.found
  const structuredContent = { [field]: found.map(render), ...noticesOf(outcome) }
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
}

/** Relevance with two decimals: more would pretend. */
export function roundRelevance(relevance: number): number {
  return Math.round(relevance * 100) / 100
}

/** Arguments as they arrive: anything at all. */
type RawArguments = Readonly<Record<string, unknown>>

/** The arguments as an object; what is none has no fields. */
export function readArguments(input: unknown): RawArguments {
  return isRecord(input) ? input : {}
}

/** One query or a list of them; models send both. What is no string is dropped. */
export function readQueries(query: unknown): Reading<readonly string[]> {
  const entries: readonly unknown[] = Array.isArray(query) ? query : [query]
  const queries = entries.filter((entry) => typeof entry === 'string')
  return queries.length === 0 ? { mistake: 'Query is required' } : { value: queries }
}

/** A count: floored and clamped; the default for what is no number. Digits in a string are a number. */
export function readCount(count: unknown, limits: { readonly byDefault: number; readonly most: number }): number {
  const number = typeof count === 'string' && count.trim() !== '' ? Number(count) : count
  if (typeof number !== 'number' || Number.isNaN(number)) return limits.byDefault
  return Math.min(Math.max(Math.floor(number), 1), limits.most)
}

/**
 * The answer to arguments of our own tools that cannot be understood: a result that a model can act on. It has no
 * structured content, which older clients would check against the schema of a success.
 */
export function invalidArguments(tool: OwnTool, mistake: string): ToolResult {
  const text = `INVALID_ARGUMENTS: ${mistake}. Call ${tool.name} again with arguments of this schema:\n${JSON.stringify(tool.inputSchema)}`
  return { isError: true, content: [{ type: 'text', text }] }
}
