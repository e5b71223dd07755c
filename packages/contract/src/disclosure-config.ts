import { z } from 'zod'
import { quote } from './rules/raw-config.ts'

/** Search strategies; null turns search off. */
const strategySchema = z.enum(['lexical', 'regex', 'bm25', 'embeddings', 'hybrid', 'cloud']).nullable()

const selectionOrderSchema = z.array(z.enum(['server_priority', 'alphabetical'])).min(1)

/** In tokens: a page must hold some lines. */
const SMALLEST_RESULT_BUDGET = 500

/** How tools are disclosed; the same keys in a project and in an endpoint. An absent key inherits. */
export const disclosureFields = {
  exposure: z
    .enum(['full', 'deferred', 'limited', 'search-only', 'meta-tools', 'auto'])
    .optional()
    .describe('Which tools `tools/list` shows; `auto` by default.'),
  dialect: z
    .enum(['router', 'mcproxy', 'metamcp'])
    .optional()
    .describe('The names, inputs and result shapes of the gateway’s own tools; `router` by default.'),
  strategy: strategySchema.optional().describe('How search ranks; null turns search off. `hybrid` by default.'),
  deferLoading: z.boolean().optional().describe('Mark listed tools as deferred.'),
  maxTools: z.int().positive().optional().describe('`limited`: the largest number of listed tools; 50 by default.'),
  searchThreshold: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('Results below this relevance are dropped; by default 0.1 for `limited`, else 0.'),
  selectionOrder: selectionOrderSchema
    .optional()
    .describe('`limited`: which tools are listed first; `server_priority` by default.'),
  executeTool: z
    .boolean()
    .optional()
    .describe('`search-only`: list `tool_execute` too, for clients that refuse unlisted names.'),
  executeVariants: z
    .boolean()
    .optional()
    .describe(
      'Wherever `tool_execute` is listed, list `tool_execute_read` too: it runs read-only tools alone, so that a client can ask only before other calls.',
    ),
  directCalls: z.boolean().optional().describe('`meta-tools`: accept calls of other names than the two.'),
  dropPrefix: z.boolean().optional().describe('Names without the server’s prefix, unless two would collide.'),
  learning: z
    .boolean()
    .optional()
    .describe(
      'Whether searches rank tools higher that were called after like queries in this project; true by default.',
    ),
  tokenBudget: z
    .int()
    .nonnegative()
    .optional()
    .describe('`auto`: list everything below this many tokens; 10000 by default.'),
  resultBudget: z
    .union([z.enum(['auto', 'off']), z.int().min(SMALLEST_RESULT_BUDGET)])
    .optional()
    .describe(
      `The most tokens of a result; the rest is read on with \`tooldex:read_result\`. \`auto\`, the default: 10000 through \`tool_execute\`, no limit for tools that are called by name. At least ${SMALLEST_RESULT_BUDGET}.`,
    ),
  hiddenCharacters: z
    .enum(['leave', 'mark', 'remove'])
    .optional()
    .describe(
      'Hidden characters and terminal controls in results: `leave` them as they came (the default), `mark` them as `[U+202E]`, or `remove` them. Results of more than 250000 characters are left alone.',
    ),
  resultRemarks: z
    .boolean()
    .optional()
    .describe('Put a remark for the model before results that carry instructions; false by default.'),
}

const TOOL_SEARCH = 'tool_search'

const toolSearchSchema = z.strictObject({
  // Not a literal, whose message could not name the unknown type.
  type: z
    .string()
    .refine((type) => type === TOOL_SEARCH, {
      error: ({ input }) => `there is no middleware ${quote(String(input))}; the only one is ${TOOL_SEARCH}`,
    })
    .meta({ enum: [TOOL_SEARCH], description: 'The kind of middleware.' }),
  enabled: z.boolean().default(true).describe('false lists all tools, without a search tool.'),
  config: z
    .strictObject({
      maxToolsLimit: disclosureFields.maxTools.describe('`maxTools` of the project; 50 by default.'),
      searchThreshold: disclosureFields.searchThreshold.describe('`searchThreshold` of the project; 0.1 by default.'),
      toolSelectionOrder: selectionOrderSchema
        .optional()
        .describe('`selectionOrder` of the project; `server_priority` by default.'),
    })
    .prefault({})
    .describe('Its settings.'),
})

/** MCProxy's block of middleware, of which the gateway has the tool search. */
export const middlewareSchema = z.strictObject({
  proxy: z
    .array(toolSearchSchema)
    .max(1, `can have one entry, the ${TOOL_SEARCH}`)
    .default([])
    .describe('The tool search.'),
})

const searchMethod = ['NONE', 'REGEX', 'BM25', 'EMBEDDINGS'] as const
const deferLoading = ['INHERIT', 'ENABLED', 'DISABLED'] as const

const sharedAliases = {
  optimization: strategySchema.optional().describe('MCP Router’s `strategy`; also sets its exposure and dialect.'),
  maxToolsLimit: z.int().positive().optional().describe('MCProxy’s `maxTools`; also sets its exposure and dialect.'),
  toolSelectionOrder: selectionOrderSchema
    .optional()
    .describe('MCProxy’s `selectionOrder`; also sets its exposure and dialect.'),
}

/** Settings of a project under the names that other gateways give them; each means one of `disclosureFields`. */
export const projectAliases = {
  ...sharedAliases,
  default_defer_loading: z.boolean().optional().describe('MetaMCP’s `deferLoading`; also sets its dialect.'),
  default_search_method: z.enum(searchMethod).optional().describe('MetaMCP’s `strategy`; also sets its dialect.'),
  default_tool_visibility: z
    .enum(['ALL', 'SEARCH_ONLY'])
    .optional()
    .describe('MetaMCP’s `exposure`; also sets its dialect.'),
}

/** The same for endpoints; `INHERIT` and null mean an absent setting. */
export const endpointAliases = {
  ...sharedAliases,
  override_defer_loading: z.enum(deferLoading).optional().describe('MetaMCP’s `deferLoading`.'),
  override_search_method: z
    .enum(['INHERIT', ...searchMethod])
    .optional()
    .describe('MetaMCP’s `strategy`.'),
  override_tool_visibility: z
    .enum(['INHERIT', 'ALL', 'SEARCH_ONLY'])
    .nullable()
    .optional()
    .describe('MetaMCP’s `exposure`.'),
}

/** The same for a tool of a project. */
export const toolAliases = {
  defer_loading: z.enum(deferLoading).optional().describe('MetaMCP’s `deferLoading`.'),
}
