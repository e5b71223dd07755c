import { z } from 'zod'
import { type AdminRoute, count, moment } from './parts.ts'

const tag = 'learned'
const params = z.strictObject({ project: z.string().describe('The id of the project.') })

/** The most uses that a project keeps, and that one request can have. */
const MOST = 5_000

const use = {
  query: z.string().describe('In lower case, cut at 500 characters, without things that look like secrets.'),
  toolKey: z.string(),
  weight: z.number().min(0).max(1).describe('When the tool was last used; it halves every 30 days.'),
  at: moment.describe('When the tool was last used after this query.'),
}

const learnedUseSchema = z.strictObject({
  ...use,
  tokenId: z.string().describe('Who taught it; `judged`: an administrator, on the search page.'),
  tokenName: z.string().optional().describe('The current name of the token; absent if it no longer exists.'),
  isGone: z
    .literal(true)
    .optional()
    .describe('No server of the project has this tool now, so that the use has no effect.'),
})

/** What searches learnt from use. */
export const learnedRoutes = {
  listLearned: {
    method: 'GET',
    path: '/projects/{project}/learned',
    tag,
    summary: 'What the searches of a project learnt: tools that were called after queries, latest first.',
    params,
    query: z.strictObject({
      query: z.string().optional().describe('Only queries that contain this text.'),
      tool: z.string().optional().describe('Only uses of this tool key.'),
      token: z.string().optional().describe('Only uses of this token id.'),
      limit: count(MOST, 100),
    }),
    responses: {
      200: z.strictObject({
        state: z
          .enum(['on', 'off', 'off-everywhere'])
          .describe('`off`: by the project; `off-everywhere`: by `learning` or `audit.queries` of the gateway.'),
        total: z.int().describe('Of the uses that match.'),
        items: z.array(learnedUseSchema),
      }),
    },
    problems: ['PROJECT_NOT_FOUND'],
  },
  importLearned: {
    method: 'POST',
    path: '/projects/{project}/learned',
    tag,
    summary:
      'Stores uses, such as those of another gateway, in place of the same ones. Times of the future become now.',
    params,
    body: z.strictObject({
      items: z
        .array(z.strictObject({ ...use, tokenId: z.string().min(1).max(500).default('imported') }))
        .max(MOST)
        .describe('Items of the list; fields that it adds are not needed.'),
    }),
    responses: { 200: z.strictObject({ stored: z.int() }) },
    problems: ['PROJECT_NOT_FOUND'],
  },
  forgetLearned: {
    method: 'DELETE',
    path: '/projects/{project}/learned',
    tag,
    summary: 'Forgets uses of a project at all gateways: those that match every condition, or all.',
    params,
    query: z.strictObject({
      query: z.string().optional().describe('The whole query.'),
      tool: z.string().optional().describe('A tool key.'),
      token: z.string().optional().describe('A token id.'),
    }),
    responses: { 200: z.strictObject({ forgotten: z.int() }) },
    problems: ['PROJECT_NOT_FOUND'],
  },
} as const satisfies Record<string, AdminRoute>

/** A learnt use as the API shows it. */
export type AdminLearnedUse = z.output<typeof learnedUseSchema>
