import type { SearchAsk, SearchDetail, SearchOutcome } from '../search/search-outcome.ts'
import type { Dialect, Reading, SearchView, ToolResult } from './dialect.ts'
import { executeTools } from './execute-tool.ts'
import {
  instructionsIn,
  noticesOf,
  OWN_META,
  type OwnTool,
  readCount,
  readSearchArguments,
  readTexts,
  SEARCH_ANNOTATIONS,
  searchResult,
} from './own-tools.ts'
import { FULL_TOKENS, routerHits } from './router-hits.ts'

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
        description: `minimal: names. summary: the best three ready to call. full: all schemas, up to ${FULL_TOKENS} tokens`,
      },
      readOnly: { type: 'boolean', description: 'Only tools marked as read-only' },
      server: { type: 'string', description: 'Only tools of this server' },
      explain: { type: 'boolean', description: 'Say why each result was found' },
      cursor: { type: 'string', description: 'nextCursor of the last answer, with the same query' },
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
  return readSearchArguments(input, (queries, { context, maxResults, detail, explain, readOnly, server, cursor }) => {
    const servers = readTexts(server)
    return {
      queries,
      ...(typeof context === 'string' && { context }),
      maxResults: readCount(maxResults, RESULTS),
      isLimitGiven: maxResults !== undefined,
      explain: explain === true,
      whenBlank: 'nothing',
      detail: DETAILS.find((candidate) => candidate === detail) ?? 'summary',
      ...(readOnly === true && { readOnly }),
      ...(servers.length > 0 && { servers }),
      ...(typeof cursor === 'string' && cursor !== '' && { cursor }),
    }
  })
}

function renderSearch(outcome: SearchOutcome, ask: SearchAsk, view: SearchView): ToolResult {
  if (outcome.state === 'off') return searchResult({ results: [], ...noticesOf(outcome) })
  const results = routerHits(outcome.found, ask, view)
  const nextCursor = outcome.cursorAfter?.(results.length)
  const isCut = ask.detail === 'full' && results.length < outcome.found.length
  const cut = `${results.length} of ${outcome.found.length} results: full detail ends at ${FULL_TOKENS} tokens; pass nextCursor for more.`
  const notices = [...outcome.notices, ...(isCut ? [{ code: 'CUT', text: cut } as const] : [])]
  return searchResult({
    results,
    ...instructionsIn(view),
    ...noticesOf({ ...outcome, notices }),
    ...(nextCursor !== undefined && { nextCursor }),
  })
}
