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
  /** `maxResults` is floored and clamped to these bounds. */
  results: { least: 1, most: 100, byDefault: 10 },
} as const

const { queries, queryLength, contextLength, keyLength, nameLength, results } = SEARCH_API_LIMITS

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

/** The body of `POST /catalog/search`. */
export const searchApiRequestSchema = z.object({
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
  tools: z
    .array(searchApiToolSchema)
    .min(1, 'must have at least one entry')
    .describe('The tools to choose from, and nothing else.'),
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
/** One tool as it is sent. */
export type SearchApiTool = z.output<typeof searchApiToolSchema>
/** An answer of the service. */
export type SearchApiAnswer = z.output<typeof searchApiAnswerSchema>
/** One found tool. */
export type SearchApiResult = z.output<typeof resultSchema>
