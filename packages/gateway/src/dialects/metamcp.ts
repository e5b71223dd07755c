import { exposedNameOf } from '../exposure/listed-tool.ts'
import type { FoundTool, SearchAsk, SearchOutcome } from '../search/search-outcome.ts'
import type { Dialect, SearchView, ToolResult } from './dialect.ts'
import { executeTools } from './execute-tool.ts'
import { ownWords } from './own-words.ts'
import {
  instructionsIn,
  noticesOf,
  OWN_META,
  type OwnTool,
  readCount,
  readSearchArguments,
  SEARCH_ANNOTATIONS,
  searchResult,
} from './own-tools.ts'

const SEARCH_TOOL_NAME = 'metamcp_search_tools'
const RESULTS = { byDefault: 5, most: 20 } as const

const SEARCH_TOOL: OwnTool = {
  name: SEARCH_TOOL_NAME,
  title: 'Find tools',
  description:
    'Searches all available tools by what they do, listed or not. Each result has the name to call the tool by and its parameters.',
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'What you need; empty lists the first tools' },
      max_results: { type: 'integer', minimum: 1, maximum: RESULTS.most, default: RESULTS.byDefault },
    },
    required: ['query'],
  },
  annotations: SEARCH_ANNOTATIONS,
  _meta: OWN_META,
}

/** MetaMCP's tool search: `metamcp_search_tools`, whose results are tool references. */
export const metamcpDialect: Dialect = {
  name: 'metamcp',
  separator: '__',
  searchToolName: SEARCH_TOOL_NAME,
  searchTool: () => SEARCH_TOOL,
  ...executeTools(SEARCH_TOOL_NAME),
  readSearch: (input) =>
    readSearchArguments(input, (queries, { max_results: count }) => {
      const maxResults = readCount(count, RESULTS)
      return { queries, maxResults, explain: false, whenBlank: 'first-tools', detail: 'summary' }
    }),
  renderSearch,
}

/** MCP SDKs refuse content blocks of the type `tool_reference`, so references travel as JSON. */
function renderSearch(outcome: SearchOutcome, _ask: SearchAsk, view: SearchView): ToolResult {
  const found = outcome.state === 'off' ? [] : outcome.found
  return searchResult({
    tool_references: found.map((hit) => referenceOf(hit, view)),
    ...instructionsIn(view),
    ...noticesOf(outcome),
  })
}

function referenceOf({ tool, relevance }: FoundTool, view: SearchView): Readonly<Record<string, unknown>> {
  const name = exposedNameOf(tool, view.names)
  const description = ownWords(tool, view.eligible)
  const score = `(score: ${relevance.toFixed(2)})`
  return {
    type: 'tool_reference',
    name,
    tool_name: name,
    description: description === undefined ? score : `${description} ${score}`,
    inputSchema: tool.definition.inputSchema ?? { type: 'object' },
  }
}
