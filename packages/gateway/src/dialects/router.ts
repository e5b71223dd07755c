import { shortDescription } from '@tooldex/search'
import { descriptionOf, exposedNameOf } from '../exposure/listed-tool.ts'
import type { FoundTool, SearchAsk, SearchDetail, SearchOutcome } from '../search/search-outcome.ts'
import type { Dialect, Reading, SearchView, ToolResult } from './dialect.ts'
import { executeTools } from './execute-tool.ts'
import {
  OWN_META,
  type OwnTool,
  readCount,
  readSearchArguments,
  roundRelevance,
  SEARCH_ANNOTATIONS,
  searchResult,
} from './own-tools.ts'
import { signature } from './signature.ts'

const SEARCH_TOOL_NAME = 'tool_discovery'
const RESULTS = { byDefault: 10, most: 100 } as const
const DETAILS: readonly SearchDetail[] = ['minimal', 'summary', 'full']

/** Constant: no counts and no server names, so that prompt caches stay valid. */
const SEARCH_TOOL: OwnTool = {
  name: SEARCH_TOOL_NAME,
  title: 'Find tools',
  description:
    'Finds tools of the connected servers by what they do. Use it before you conclude that something cannot be done. Put every need into a query of its own, in plain words. Each result has a toolKey and the parameters of the tool; tool_execute runs it.',
  inputSchema: {
    type: 'object',
    properties: {
      query: {
        type: 'array',
        items: { type: 'string' },
        description: 'One entry per need, for example ["create an issue", "read a file"]',
      },
      context: { type: 'string', description: 'What you are trying to achieve' },
      maxResults: { type: 'integer', minimum: 1, maximum: RESULTS.most, default: RESULTS.byDefault },
      detail: {
        type: 'string',
        enum: DETAILS,
        default: 'summary',
        description: 'minimal: names. summary: a sentence and a signature. full: all schemas',
      },
    },
    required: ['query'],
  },
  outputSchema: {
    type: 'object',
    properties: { results: { type: 'array', items: { type: 'object' } } },
    required: ['results'],
  },
  annotations: SEARCH_ANNOTATIONS,
  _meta: OWN_META,
}

/** MCP Router's two fixed tools: `tool_discovery` and `tool_execute`. */
export const routerDialect: Dialect = {
  name: 'router',
  separator: '__',
  searchToolName: SEARCH_TOOL_NAME,
  searchTool: () => SEARCH_TOOL,
  ...executeTools(SEARCH_TOOL_NAME),
  readSearch,
  renderSearch,
}

function readSearch(input: unknown): Reading<SearchAsk> {
  return readSearchArguments(input, (queries, { context, maxResults, detail }) => {
    const known = DETAILS.find((candidate) => candidate === detail) ?? 'summary'
    return {
      queries,
      ...(typeof context === 'string' && { context }),
      maxResults: readCount(maxResults, RESULTS),
      explain: known !== 'minimal',
      whenBlank: 'nothing',
      detail: known,
    }
  })
}

function renderSearch(outcome: SearchOutcome, ask: SearchAsk, view: SearchView): ToolResult {
  return searchResult(outcome, 'results', (hit) => ({
    ...namesOf(hit, view),
    ...detailsOf(hit, ask.detail, view),
  }))
}

function namesOf({ tool }: FoundTool, view: SearchView): Readonly<Record<string, unknown>> {
  return {
    toolKey: tool.key,
    toolName: tool.name,
    serverName: tool.serverName,
    ...(view.callsByName && { name: exposedNameOf(tool, view.names) }),
  }
}

function detailsOf(hit: FoundTool, detail: SearchDetail, view: SearchView): Readonly<Record<string, unknown>> {
  const { tool, explanation } = hit
  const relevance = roundRelevance(hit.relevance)
  if (detail === 'minimal') return { relevance }
  const { inputSchema, outputSchema, annotations } = tool.definition
  const whole = descriptionOf(tool, view.project)
  const description = detail === 'full' ? whole : shortDescription(whole)
  return {
    ...(description !== undefined && { description }),
    ...(detail === 'full'
      ? {
          inputSchema: inputSchema ?? { type: 'object' },
          ...(outputSchema !== undefined && { outputSchema }),
          ...(annotations !== undefined && { annotations }),
        }
      : { signature: signature(tool.name, inputSchema) }),
    relevance,
    ...(explanation !== undefined && { explanation }),
  }
}
