import { z } from 'zod'
import { trustMode } from '../server-config.ts'
import { type AdminRoute, moment } from './parts.ts'

const tag = 'gateway'

const settings = z.strictObject({
  auditKeepDays: z.int().min(1).max(36_500).describe('Older audit entries are removed.'),
  auditMaxEntries: z.int().min(1_000).describe('Beyond this number the oldest audit entries are removed.'),
  trust: trustMode.describe(
    'What happens when servers change their definitions; servers and projects can be stricter.',
  ),
})

const settingsAnswer = z.strictObject({
  settings,
  from: z
    .strictObject({
      auditKeepDays: z.enum(['store', 'file']),
      auditMaxEntries: z.enum(['store', 'file']),
      trust: z.enum(['store', 'file']),
    })
    .describe('`file`: the configuration file or its default.'),
  revision: z.string().describe('Also its `ETag`. Send it as `If-Match` with a change.'),
})

const settingsPatch = z.strictObject({
  ...settings.partial().shape,
  unset: z.array(z.enum(['auditKeepDays', 'auditMaxEntries', 'trust'])).optional(),
})

const trouble = z.strictObject({
  about: z.string().describe('Such as `server github`.'),
  message: z.string(),
  remedy: z.string(),
  page: z
    .enum(['review', 'failures', 'settings'])
    .optional()
    .describe('The page of the console that shows it; else that of the server, project or endpoint.'),
  within: z.enum(['hour', 'day']).optional().describe('The time of the failures.'),
  at: moment.optional(),
})

const searchApi = z.strictObject({
  host: z.string(),
  state: z
    .enum(['unused', 'answering', 'failing', 'open'])
    .describe('`open`: it failed several times in a row; searches fail fast until it answers again.'),
  lastAnswer: z.strictObject({ at: moment, latencyMs: z.number() }).optional(),
  lastError: z.strictObject({ at: moment, reason: z.string() }).optional(),
})

const overview = z.strictObject({
  version: z.string(),
  startedAt: moment,
  servers: z.strictObject({ all: z.int(), byState: z.record(z.string(), z.int()) }),
  tools: z.int(),
  projects: z.int(),
  endpoints: z.int(),
  tokens: z.strictObject({ client: z.int(), admin: z.int(), expired: z.int() }),
  lastDay: z.strictObject({ searches: z.int(), calls: z.int(), errors: z.int() }),
  tokensIfAllWereListed: z.int(),
  searchApi: searchApi.optional().describe('The state of the Search API; absent if none is configured.'),
  waiting: z.int().describe('Definitions of servers that wait for approval.'),
  troubles: z.array(trouble).describe('Current problems with their remedies.'),
})

const health = z.strictObject({
  status: z.enum(['ok', 'degraded']),
  version: z.string(),
  store: z.strictObject({
    kind: z.enum(['sqlite', 'postgres']),
    place: z.string(),
    ok: z.boolean(),
    problems: z.array(z.string()),
    schemaVersion: z.int(),
    latestBackupAt: moment.optional(),
  }),
})

/** Everything about the gateway as a whole. */
export const gatewayRoutes = {
  getOverview: {
    method: 'GET',
    path: '/overview',
    tag,
    summary: 'The gateway at a glance.',
    responses: { 200: overview },
  },
  getHealth: { method: 'GET', path: '/health', tag, summary: 'Whether the store works.', responses: { 200: health } },
  getSettings: {
    method: 'GET',
    path: '/settings',
    tag,
    summary: 'Settings of the gateway as a whole.',
    responses: { 200: settingsAnswer },
  },
  changeSettings: {
    method: 'PATCH',
    path: '/settings',
    tag,
    summary: 'Changes them.',
    body: settingsPatch,
    responses: { 200: settingsAnswer },
    heedsRevision: true,
    problems: ['REVISION_CONFLICT'],
  },
  followEvents: {
    method: 'GET',
    path: '/events',
    tag,
    summary: 'Changes, as server-sent events `change` with `{ what, id? }`, so that a page can reload.',
    responses: { 200: ['text/event-stream'] },
  },
  getOpenApi: {
    method: 'GET',
    path: '/openapi.json',
    tag,
    summary: 'This API as an OpenAPI 3.1 document.',
    responses: { 200: z.record(z.string(), z.unknown()) },
  },
} as const satisfies Record<string, AdminRoute>

/** An event of `/events`. */
const changeEventSchema = z.strictObject({
  what: z.enum(['server', 'tools', 'configuration', 'settings', 'review']),
  id: z.string().optional(),
})

/** One change. */
export type ChangeEvent = z.output<typeof changeEventSchema>
/** The gateway at a glance. */
export type Overview = z.output<typeof overview>
/** Settings of the gateway as a whole. */
export type AdminSettings = z.output<typeof settingsAnswer>
/** A change of settings. */
export type SettingsPatch = z.output<typeof settingsPatch>
/** Whether the store works. */
export type Health = z.output<typeof health>

/** Loaded tokens, beside those of complete lists. */
const loaded = z.strictObject({
  lists: z.int().describe('Lists that began a conversation: the first of a session, or each one without a session.'),
  searches: z.int(),
  tokensIfAllWereListed: z.int().describe('The cost of the lists if all tools had been listed.'),
  tokensOfLists: z.int().describe('The actual cost of the lists.'),
  tokensOfSearches: z.int().describe('The cost of search answers.'),
  tokensOfSchemas: z.int().describe('Definitions that joined the conversation later.'),
  tokensSaved: z.int().describe('Everything listed, less lists, searches and schemas. Negative: it cost more.'),
})

const breakEven = z
  .strictObject({
    searches: z.int().describe('For each list. With more of them, listing everything would be cheaper.'),
    tokensPerSearch: z.int().describe('The cost of one search with the schemas that follow.'),
    isMeasured: z.boolean().describe('false: there was no search yet, and the cost of a search is assumed.'),
  })
  .optional()
  .describe('Absent if the list alone saves nothing, so that no number of searches would pay.')

const clientSaving = z.strictObject({
  client: z.string().optional().describe('The name that the client gives itself. Untrusted.'),
  tokenId: z.string(),
  tokenName: z.string().optional().describe('The current name; absent after its removal.'),
  endpoint: z.string(),
  project: z.string(),
  projectName: z.string().optional().describe('The current name; absent after its removal.'),
  loaded,
  breakEven,
})

const projectSaving = clientSaving.pick({ project: true, projectName: true, loaded: true, breakEven: true })

const endpointSaving = z.strictObject({
  endpoint: z.string(),
  project: z.string(),
  exposure: z.string().describe('The current exposure for a 2026-07-28 client with a token for everything.'),
  tokensIfAllWereListed: z.int().describe('The cost of a complete list for such a client.'),
  tokensListed: z.int().describe('The cost of the list that it gets.'),
  loaded,
  breakEven,
})

/** The savings of limited lists. */
export const savingsRoutes = {
  getSavings: {
    method: 'GET',
    path: '/savings',
    tag,
    summary:
      'Tokens that clients loaded, in total and by client, project and endpoint, against a complete list. Estimates: four characters to a token.',
    responses: {
      200: z.strictObject({
        since: moment.describe(
          'The time of the first count. The store keeps daily figures as long as audit entries, across restarts.',
        ),
        total: loaded,
        clients: z.array(clientSaving).describe('Most saved first.'),
        projects: z.array(projectSaving).describe('In the same order.'),
        endpoints: z.array(endpointSaving).describe('All current endpoints, used or not.'),
      }),
    },
  },
} as const satisfies Record<string, AdminRoute>

type Savings = z.output<(typeof savingsRoutes.getSavings.responses)[200]>

/** Loaded tokens, beside those of complete lists. */
export type LoadedTokens = Savings['total']
/** The savings of a client. */
export type ClientSaving = Savings['clients'][number]
/** The savings of a project's clients. */
export type ProjectSaving = Savings['projects'][number]
/** The savings of an endpoint and of its clients. */
export type EndpointSaving = Savings['endpoints'][number]
