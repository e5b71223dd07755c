import { z } from 'zod'

/** The version of the request and answer. Fields are only ever added to it, and both sides ignore those they do not know. */
export const SEARCH_API_VERSION = 1

/** The limits of a request; the service can be configured for fewer tools and smaller bodies. */
export const SEARCH_API_LIMITS = {
  queries: 32,
  queryLength: 8_000,
  contextLength: 32_000,
  tools: 20_000,
  keyLength: 2_000,
  nameLength: 1_000,
  bodyBytes: 32 * 1024 * 1024,
  /** Of a catalog that is uploaded. */
  catalogTools: 100_000,
  catalogBytes: 64 * 1024 * 1024,
  /** Of a rule. */
  ruleServers: 10_000,
  ruleExceptions: 20_000,
  /** `maxResults` is floored and clamped to these bounds. */
  results: { least: 1, most: 100, byDefault: 10 },
} as const

const { queries, queryLength, contextLength, keyLength, nameLength, ruleServers, ruleExceptions, results } =
  SEARCH_API_LIMITS

const toolFields = {
  toolKey: z
    .string()
    .min(1, 'must not be empty')
    .max(keyLength)
    .describe('The caller’s key of the tool; returned as it was sent. Unique in the request.'),
  toolName: z.string().min(1, 'must not be empty').max(nameLength).describe('The tool’s own name.'),
  serverName: z.string().max(nameLength).describe('The server that the tool belongs to.'),
  description: z.string().optional().describe('The tool’s description.'),
}

/** One tool as it is sent. */
export const searchApiToolSchema = z.object(toolFields)

const traits = z.object({ readOnly: z.literal(true).optional(), notDestructive: z.literal(true).optional() })

/** One tool of a catalog, a line of the upload. */
export const catalogToolSchema = z.object({
  ...toolFields,
  traits: traits.optional().describe('`readOnly` and `notDestructive`, each `true` or absent; for rules.'),
})

const questionFields = {
  query: z
    .preprocess(
      (query) => (typeof query === 'string' ? [query] : query),
      z.array(z.string().max(queryLength)).min(1, 'must have at least one entry').max(queries),
    )
    .describe(
      'One or more intents; each is ranked on its own and the rankings are fused. A single text is accepted, too.',
    ),
  context: z
    .string()
    .max(contextLength)
    .optional()
    .describe('The caller’s current task; read by a language model that selects.'),
  maxResults: z
    .preprocess((count) => (typeof count === 'number' ? resultCount(count) : count), z.number())
    .default(results.byDefault)
    .describe(
      `At most so many results, ${results.byDefault} if absent; floored, and brought into ${results.least}…${results.most}.`,
    ),
  projectId: z
    .string()
    .min(1, 'must not be empty')
    .max(nameLength)
    .optional()
    .describe('The project that asks. It must be the one that the token belongs to.'),
}

const { query, context, ...others } = questionFields

/** The body of `POST /catalog/search`. */
export const searchApiRequestSchema = z.object({
  query,
  context,
  tools: z
    .array(searchApiToolSchema)
    .min(1, 'must have at least one entry')
    .describe('The tools to choose from, and nothing else.'),
  ...others,
})

/** Which tools of a catalog a search may see. */
const toolRuleSchema = z.object({
  servers: z
    .union([z.literal('all'), z.array(z.string().max(nameLength)).max(ruleServers)], 'must be "all" or a list of texts')
    .default('all')
    .describe('`all`, or the `serverName`s to search. Names that the catalog does not have select nothing.'),
  except: z
    .array(z.string().max(keyLength))
    .max(ruleExceptions)
    .default([])
    .describe('`toolKey`s to leave out. Unknown ones do no harm.'),
  traits: traits.optional().describe('Only tools that have all of these traits.'),
})

/** The body of `POST /catalogs/{hash}/search`. */
export const catalogSearchSchema = z.object({
  query,
  context,
  rule: toolRuleSchema
    .default({ servers: 'all', except: [] })
    .describe('The tools of the catalog to choose from; all if absent.'),
  ...others,
})

/** The answer of `PUT` and `GET /catalogs/{hash}`. */
export const catalogStateSchema = z.object({
  hash: z.string().describe('SHA-256 of the lines, in hex.'),
  tools: z.number().int().describe('How many tools the catalog has.'),
  indexed: z
    .number()
    .int()
    .describe('How many of them this instance has ready. A search waits for the rest and need not be delayed.'),
})

const resultSchema = z.object({
  ...toolFields,
  relevance: z.number().min(0).max(1).describe('The probability that the tool serves the query; 1 is an exact name.'),
  explanation: z
    .string()
    .optional()
    .describe('Why it was found, in one line. May be words of a language model: untrusted.'),
})

/** The answer of `POST /catalog/search`. */
export const searchApiAnswerSchema = z.object({
  results: z.array(resultSchema).describe('Best first; only tools that were sent, each at most once.'),
  answeredBy: z
    .string()
    .optional()
    .describe('The strategy that ranked: `hybrid`, `llm` or `bm25`. Always present in answers of this service.'),
  verdict: z
    .enum(['found', 'unsure', 'none'])
    .optional()
    .describe(
      'Whether a tool serves the query, by the relevance of the first hit. Always present in answers of this service.',
    ),
  degraded: z
    .object({
      strategy: z.string().describe('The strategy that should have answered.'),
      reason: z.string().describe('Why it could not, in a sentence.'),
    })
    .optional()
    .describe('Present if the preferred strategy could not answer.'),
  apiVersion: z.number().optional().describe(`${SEARCH_API_VERSION}: the version of this schema.`),
})

/** `maxResults` as it is used. */
export function resultCount(wanted: number): number {
  return Math.min(results.most, Math.max(results.least, Math.floor(wanted)))
}

/** A request as clients send it: `query` may be one text. */
export interface SearchApiRequestInput extends Partial<Omit<SearchApiRequest, 'query' | 'tools'>> {
  readonly query: string | readonly string[]
  readonly tools: readonly SearchApiTool[]
}
/** A request as the service reads it. */
export type SearchApiRequest = z.output<typeof searchApiRequestSchema>
/** What is asked, whatever is searched. */
export type SearchApiQuestion = Omit<SearchApiRequest, 'tools'>
/** A search of an uploaded catalog as the service reads it. */
export type CatalogSearch = z.output<typeof catalogSearchSchema>
/** Which tools of a catalog a search may see. */
export type ToolRule = z.output<typeof toolRuleSchema>
/** One tool of a catalog. */
export type CatalogTool = z.output<typeof catalogToolSchema>
/** What is known of an uploaded catalog. */
export type CatalogState = z.output<typeof catalogStateSchema>
/** One tool as it is sent. */
export type SearchApiTool = z.output<typeof searchApiToolSchema>
/** An answer of the service. */
export type SearchApiAnswer = z.output<typeof searchApiAnswerSchema>
/** One found tool. */
export type SearchApiResult = z.output<typeof resultSchema>
