import { z } from 'zod'
import { moment } from './parts.ts'
import type { AdminRoute } from './route.ts'

const tag = 'gateway'

/** What was loaded, in tokens, beside what would have been. */
const loaded = z.strictObject({
  lists: z.int().describe('Lists that began a conversation: the first of a session, or each one without a session.'),
  searches: z.int(),
  tokensIfAllWereListed: z.int().describe('What the lists would have cost, had everything been listed.'),
  tokensOfLists: z.int().describe('What they did cost.'),
  tokensOfSearches: z.int().describe('What searches answered.'),
  tokensOfSchemas: z.int().describe('Definitions that joined the conversation later.'),
  tokensSaved: z.int().describe('Everything listed, less lists, searches and schemas. Negative: it cost more.'),
})

const breakEven = z
  .strictObject({
    searches: z.int().describe('For each list. With more of them, listing everything would be cheaper.'),
    tokensPerSearch: z.int().describe('What one costs with the schemas that it brings.'),
    isMeasured: z.boolean().describe('false: nobody has searched yet, and the cost of a search is assumed.'),
  })
  .optional()
  .describe('Absent where the list alone saves nothing, so that no number of searches would pay.')

const clientSaving = z.strictObject({
  client: z.string().optional().describe('What the client calls itself. Untrusted.'),
  tokenId: z.string(),
  tokenName: z.string().optional().describe('As it is called now; absent once it was removed.'),
  endpoint: z.string(),
  project: z.string(),
  projectName: z.string().optional().describe('As it is called now; absent once it was removed.'),
  loaded,
  breakEven,
})

const projectSaving = clientSaving.pick({ project: true, projectName: true, loaded: true, breakEven: true })

const endpointSaving = z.strictObject({
  endpoint: z.string(),
  project: z.string(),
  exposure: z.string().describe('What a 2026-07-28 client with a token for everything gets now.'),
  tokensIfAllWereListed: z.int().describe('What a whole list costs such a client.'),
  tokensListed: z.int().describe('What the list costs that it gets.'),
  loaded,
  breakEven,
})

/** What limited lists save, or cost. */
export const savingsRoutes = {
  getSavings: {
    method: 'GET',
    path: '/savings',
    tag,
    summary:
      'What clients loaded, in all and by client, project and endpoint, against everything listed. Estimates: four characters to a token.',
    responses: {
      200: z.strictObject({
        since: moment.describe(
          'When the first of it was counted. The store keeps it by the day, as long as audit entries, over restarts.',
        ),
        total: loaded,
        clients: z.array(clientSaving).describe('Most saved first.'),
        projects: z.array(projectSaving).describe('In the same order.'),
        endpoints: z.array(endpointSaving).describe('All that there are now, whether somebody used them or not.'),
      }),
    },
  },
} as const satisfies Record<string, AdminRoute>

type Savings = z.output<(typeof savingsRoutes.getSavings.responses)[200]>

/** What was loaded, beside what would have been. */
export type LoadedTokens = Savings['total']
/** What a client saved. */
export type ClientSaving = Savings['clients'][number]
/** What the clients of a project saved. */
export type ProjectSaving = Savings['projects'][number]
/** What an endpoint saves, and its clients saved. */
export type EndpointSaving = Savings['endpoints'][number]
