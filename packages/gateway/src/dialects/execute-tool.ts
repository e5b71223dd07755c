import { isRecord } from '@tooldex/http-kit/json'
import type { Reading, ToolResult } from './dialect.ts'
import { OWN_META, type OwnTool, readArguments } from './own-tools.ts'

/** The same in every dialect. */
export const EXECUTE_TOOL_NAME = 'tool_execute'

/** A call through `tool_execute`, as far as it can be understood without knowing any tools. */
export interface ExecuteAsk {
  /** A key, `serverName:toolName` or an exposed name: to be looked up. */
  readonly toolKey: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/** The definition; its annotations are the worst case, because any tool may stand behind it. */
export function executeTool(searchToolName: string): OwnTool {
  return {
    name: EXECUTE_TOOL_NAME,
    title: 'Run a tool',
    description: `Runs a tool that ${searchToolName} found. Pass the toolKey or the name from the search result, and the arguments that the tool takes.`,
    inputSchema: {
      type: 'object',
      properties: {
        toolKey: { type: 'string', description: 'As in the search result, for example "github:create_issue"' },
        arguments: { type: 'object', description: 'The arguments of that tool', additionalProperties: true },
      },
      required: ['toolKey'],
    },
    outputSchema: {
      type: 'object',
      properties: { result: { description: 'What the tool answered' } },
      required: ['result'],
    },
    annotations: {
      title: 'Run a tool',
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    },
    _meta: OWN_META,
  }
}

/** Understands the arguments of `tool_execute`. Arguments that a model wrote as JSON in a string are taken as meant. */
export function readExecute(input: unknown): Reading<ExecuteAsk> {
  const { toolKey, arguments: given } = readArguments(input)
  if (typeof toolKey !== 'string' || toolKey.trim() === '') return { mistake: 'toolKey is required' }
  const args = typeof given === 'string' ? parsed(given) : (given ?? {})
  if (!isRecord(args)) return { mistake: 'arguments must be an object' }
  return { value: { toolKey: toolKey.trim(), arguments: args } }
}

/**
 * A server's answer as `tool_execute` gives it: content, `isError` and `_meta` as they are, and the structured content
 * under `result`, as our output schema promises. An answer that asks the client for input is not a result yet.
 */
export function wrapResult(result: ToolResult): ToolResult {
  const kind = result['resultType']
  if (kind !== undefined && kind !== 'complete') return result
  const inner = 'structuredContent' in result ? result['structuredContent'] : (result['content'] ?? null)
  return { ...result, structuredContent: { result: inner } }
}

function parsed(text: string): unknown {
  if (text.trim() === '') return {}
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
