import { z } from 'zod'
import type { AdminRoute } from './parts.ts'

const tag = 'search'
const STRATEGIES = ['lexical', 'regex', 'bm25', 'embeddings', 'hybrid', 'cloud'] as const

const hit = z.strictObject({
  toolKey: z.string(),
  toolName: z.string(),
  serverName: z.string(),
  description: z.string().optional(),
  signature: z.string(),
  relevance: z.number().describe('The probability that the tool serves the query.'),
  explanation: z.string().optional(),
})

const leftOut = z.strictObject({
  toolKey: z.string(),
  relevance: z.number(),
  reason: z.string().describe('The first obstacle.'),
})

const answer = z.strictObject({
  strategy: z.enum(STRATEGIES),
  answeredBy: z.string(),
  verdict: z
    .enum(['found', 'unsure', 'none'])
    .optional()
    .describe('Whether a tool serves the query, by the probability of the first hit.'),
  degraded: z.string().optional().describe('Why another strategy answered.'),
  notice: z.string().optional().describe('Why the answer is empty or incomplete, as a client reads it.'),
  problem: z.string().optional().describe('Why no strategy answered.'),
  ms: z.number(),
  hits: z.array(hit),
  tokens: z.int().describe('Approximate cost of the answer in a model’s context.'),
  leftOut: z.array(leftOut).describe('Tools that match and that the token may not use through this project.'),
})

const ask = z.strictObject({
  query: z
    .union([z.string(), z.array(z.string()).max(20)], { error: 'must be a text, or a list of at most 20' })
    .describe('Several are several intents.'),
  project: z.string().default('default'),
  token: z.string().optional().describe('Searches with the scopes of this token; else with all.'),
  strategies: z.array(z.enum(STRATEGIES)).min(1).max(6).optional().describe('Side by side; else the project’s own.'),
  maxResults: z.int().min(1).max(100).default(10),
})

/** The playground. */
export const searchRoutes = {
  searchTools: {
    method: 'POST',
    path: '/search',
    tag,
    summary:
      'Searches as a client would, with several strategies side by side, with explanations and left-out tools. Audited.',
    body: ask,
    responses: { 200: z.strictObject({ answers: z.array(answer) }) },
    problems: ['PROJECT_NOT_FOUND', 'TOKEN_NOT_FOUND', 'NOT_RUNNING'],
  },
} as const satisfies Record<string, AdminRoute>

/** A search of the playground. */
export type SearchQuestion = z.output<typeof ask>
/** The answer of one strategy. */
export type SearchAnswerShown = z.output<typeof answer>
