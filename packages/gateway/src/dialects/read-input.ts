import type { Reading, ToolResult } from './dialect.ts'
import type { OwnTool } from './own-tool.ts'

/** Arguments as they arrive: anything at all. */
export type RawArguments = Readonly<Record<string, unknown>>

/** The arguments as an object; what is none has no fields. */
export function readArguments(input: unknown): RawArguments {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as RawArguments) : {}
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
