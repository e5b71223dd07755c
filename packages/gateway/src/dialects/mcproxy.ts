import { descriptionOf, exposedNameOf } from '../exposure/listed-tool.ts'
import type { FoundTool, SearchAsk, SearchOutcome } from '../search/search-outcome.ts'
import type { Dialect, Reading, SearchView, ToolResult } from './dialect.ts'
import { EXECUTE_TOOL_NAME, executeTools } from './execute-tool.ts'
import { NOTHING_FITS } from '../search/search-notices.ts'
import { ownWords } from './own-words.ts'
import {
  instructionsIn,
  noticesOf,
  OWN_META,
  type OwnTool,
  readSearchArguments,
  roundRelevance,
  SEARCH_ANNOTATIONS,
} from './own-tools.ts'

const SEARCH_TOOL_NAME = 'search_available_tools'
const MOST_RESULTS = 10
const LONGEST_ECHO = 200

/** MCProxy's limited list: `search_available_tools`, `server___tool`. */
export const mcproxyDialect: Dialect = {
  name: 'mcproxy',
  separator: '___',
  searchToolName: SEARCH_TOOL_NAME,
  searchTool,
  ...executeTools(SEARCH_TOOL_NAME),
  readSearch,
  renderSearch,
}

function searchTool(hidden: number): OwnTool {
  return {
    name: SEARCH_TOOL_NAME,
    title: 'Find tools',
    description: `Search through ${numberOf(hidden)} additional available tools that are not listed here, by what they do. Ask for one need per query. Plain words will do; AND, OR, NOT, "phrases" and name:, server: or description: work too.`,
    inputSchema: {
      type: 'object',
      properties: { query: { type: 'string', description: 'What the tool should do; several needs as a list' } },
      required: ['query'],
    },
    annotations: SEARCH_ANNOTATIONS,
    _meta: OWN_META,
  }
}

const EXACT_UP_TO = 20

/** Rounded down to tens above twenty, so that it promises no tool too many and prompt caches stay valid. */
function numberOf(hidden: number): string {
  return hidden <= EXACT_UP_TO ? String(hidden) : `at least ${hidden - (hidden % 10)}`
}

function readSearch(input: unknown): Reading<SearchAsk> {
  const rest = { maxResults: MOST_RESULTS, explain: false, whenBlank: 'nothing', detail: 'summary' } as const
  return readSearchArguments(input, (queries) => ({ queries, ...rest }))
}

function renderSearch(outcome: SearchOutcome, ask: SearchAsk, view: SearchView): ToolResult {
  const found = outcome.state === 'off' ? [] : outcome.found
  const texts = outcome.notices.map(({ text }) => text)
  // The text of an empty answer says that nothing fits.
  const reason = texts.filter((text) => text !== NOTHING_FITS).join(' ')
  const lines = outcome.state === 'off' ? [] : [textOf(found, ask, view)]
  const instructions = Object.entries(view.instructions ?? {}).map(
    ([server, each]) => `Instructions of ${server}: ${each}`,
  )
  const text = [...lines, ...(reason === '' ? [] : [reason]), ...instructions].join('\n\n')
  return {
    content: [{ type: 'text', text }],
    structuredContent: {
      tools: found.map((hit) => structureOf(hit, view)),
      ...instructionsIn(view),
      ...noticesOf(outcome),
    },
  }
}

function textOf(found: readonly FoundTool[], ask: SearchAsk, view: SearchView): string {
  const query = echo(ask.queries)
  if (found.length === 0) return `No tools found matching '${query}'. Try a different search term.`
  return [
    `Found ${found.length} tool(s) matching '${query}':`,
    ...found.map((hit, index) => itemOf(hit, index + 1, view)),
    closingLine(view),
  ].join('\n\n')
}

function itemOf({ tool }: FoundTool, number: number, view: SearchView): string {
  const description = ownWords(tool, view.eligible)
  const lines = [`${number}. **${exposedNameOf(tool, view.names)}**`]
  if (description !== undefined) lines.push(`   ${description}`)
  // A client whose list does not grow needs the parameters here.
  if (!view.listGrows) lines.push(`   Input: ${JSON.stringify(tool.definition.inputSchema ?? { type: 'object' })}`)
  return lines.join('\n')
}

function closingLine(view: SearchView): string {
  if (view.listGrows) return 'These tools are now available in your current session.'
  const byName = view.callsByName ? 'Call them by name, or with' : 'Call them with'
  return `These tools are available now. ${byName} ${EXECUTE_TOOL_NAME}.`
}

function structureOf({ tool, relevance }: FoundTool, view: SearchView): Readonly<Record<string, unknown>> {
  const description = descriptionOf(tool, view.eligible.project)
  return {
    name: exposedNameOf(tool, view.names),
    toolKey: tool.key,
    ...(description !== undefined && { description }),
    inputSchema: tool.definition.inputSchema ?? { type: 'object' },
    relevance: roundRelevance(relevance),
  }
}

/** The query on one line, shortened. */
function echo(queries: readonly string[]): string {
  const line = queries.join(', ').replace(/\s+/gu, ' ').trim()
  return line.length > LONGEST_ECHO ? `${line.slice(0, LONGEST_ECHO)}…` : line
}
