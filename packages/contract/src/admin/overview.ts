import { z } from 'zod'
import { moment } from './parts.ts'
import type { AdminRoute } from './route.ts'

const tag = 'gateway'

const settings = z.strictObject({
  auditKeepDays: z.int().min(1).max(36_500).describe('Older audit entries are removed.'),
  auditMaxEntries: z.int().min(1_000).describe('Beyond this number the oldest audit entries are removed.'),
})

const settingsAnswer = z.strictObject({
  settings,
  from: z
    .strictObject({ auditKeepDays: z.enum(['store', 'file']), auditMaxEntries: z.enum(['store', 'file']) })
    .describe('`file`: the configuration file or its default.'),
})

const settingsPatch = z.strictObject({
  ...settings.partial().shape,
  unset: z.array(z.enum(['auditKeepDays', 'auditMaxEntries'])).optional(),
})

const trouble = z.strictObject({
  about: z.string().describe('Such as `server github`.'),
  message: z.string(),
  remedy: z.string(),
  at: moment.optional(),
})

const searchApi = z.strictObject({
  host: z.string(),
  state: z
    .enum(['unused', 'answering', 'failing', 'open'])
    .describe('`open`: it failed several times in a row, and searches do not wait for it until it answers again.'),
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
  searchApi: searchApi.optional().describe('How the Search API is doing; absent where none is configured.'),
  troubles: z.array(trouble).describe('What is wrong now, with the remedy.'),
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
  },
  followEvents: {
    method: 'GET',
    path: '/events',
    tag,
    summary: 'What changed, as server-sent events `change` with `{ what, id? }`, so that a page can ask again.',
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

/** What is told on `/events`. */
const changeEventSchema = z.strictObject({
  what: z.enum(['server', 'tools', 'configuration', 'settings']),
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
