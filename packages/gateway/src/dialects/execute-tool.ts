import { isRecord, parseJson } from '@tooldex/http-kit/json'
import type { Dialect, Reading } from './dialect.ts'
import { OWN_META, readArguments } from './own-tools.ts'
import { READ_RESULT_TOOL } from './read-result-tool.ts'

/** The name is the same in every dialect. */
export const EXECUTE_TOOL_NAME = 'tool_execute'
/** Runs read-only tools alone. */
export const EXECUTE_READ_TOOL_NAME = 'tool_execute_read'

/** The arguments of `tool_execute`. */
export interface ExecuteAsk {
  /** A key, `serverName:toolName` or an exposed name. */
  readonly toolKey: string
  readonly arguments: Readonly<Record<string, unknown>>
}

const INPUT_SCHEMA = {
  type: 'object',
  properties: {
    toolKey: { type: 'string', description: 'As in the search result, for example "github:create_issue"' },
    arguments: { type: 'object', description: 'The arguments of that tool', additionalProperties: true },
  },
  required: ['toolKey'],
} as const

/**
 * The definitions. The annotations of `tool_execute` are the worst case, because it may run any tool. Neither has an output
 * schema: the result is that of the tool, and a copy under a structure of ours would replace it in clients that show
 * structured content alone.
 */
export function executeTools(
  searchToolName: string,
): Pick<Dialect, 'executeTool' | 'executeReadTool' | 'readResultTool'> {
  return {
    executeTool: {
      name: EXECUTE_TOOL_NAME,
      title: 'Run a tool',
      description: `Runs a tool that ${searchToolName} found. Pass the toolKey or the name from the search result, and the arguments that the tool takes.`,
      inputSchema: INPUT_SCHEMA,
      annotations: {
        title: 'Run a tool',
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: false,
        openWorldHint: true,
      },
      _meta: OWN_META,
    },
    executeReadTool: {
      name: EXECUTE_READ_TOOL_NAME,
      title: 'Run a read-only tool',
      description: `Runs a tool that ${searchToolName} found and that only reads; ${EXECUTE_TOOL_NAME} runs any other. Pass the toolKey or the name from the search result, and the arguments that the tool takes.`,
      inputSchema: INPUT_SCHEMA,
      annotations: { title: 'Run a read-only tool', readOnlyHint: true, destructiveHint: false, openWorldHint: true },
      _meta: OWN_META,
    },
    readResultTool: READ_RESULT_TOOL,
  }
}

/** Reads the arguments of `tool_execute`. Accepts arguments that a model wrote as a JSON string. */
export function readExecute(input: unknown): Reading<ExecuteAsk> {
  const { toolKey, arguments: given } = readArguments(input)
  if (typeof toolKey !== 'string' || toolKey.trim() === '') return { mistake: 'toolKey is required' }
  const args = typeof given === 'string' ? parsed(given) : (given ?? {})
  if (!isRecord(args)) return { mistake: 'arguments must be an object' }
  return { value: { toolKey: toolKey.trim(), arguments: args } }
}

const parsed = (text: string): unknown => (text.trim() === '' ? {} : parseJson(text))
