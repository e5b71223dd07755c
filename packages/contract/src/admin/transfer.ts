import { z } from 'zod'
import { configSchema } from '../config.ts'
import { type AdminRoute, flag, moment } from './parts.ts'

const tag = 'transfer'

const { mcpServers, projects, endpoints, tokens } = configSchema.shape

/** Everything that can be moved to another gateway. `config` is a valid `tooldex.json`. */
export const exportSchema = z.strictObject({
  format: z.literal('tooldex-export'),
  version: z.literal(1),
  exportedAt: moment,
  hasSecrets: z.boolean().describe('false: secrets of servers are masked.'),
  config: z.strictObject({ mcpServers, projects, endpoints, tokens }),
  settings: z.record(z.string(), z.unknown()).default({}),
})

const entry = z.strictObject({
  what: z.enum(['server', 'project', 'endpoint', 'token', 'setting']),
  id: z.string(),
  action: z.enum(['create', 'change', 'unchanged', 'refused']),
  reason: z.string().optional().describe('Why it is refused.'),
})

const importPlan = z.strictObject({
  isApplied: z.boolean(),
  entries: z.array(entry),
  problems: z.array(z.strictObject({ path: z.string(), message: z.string() })),
})

/** Export and import. */
export const transferRoutes = {
  exportAll: {
    method: 'GET',
    path: '/export',
    tag,
    summary: 'The whole configuration: servers, projects, endpoints, client tokens (hashes), settings.',
    query: z.strictObject({
      secrets: flag.default(false).describe('With the secrets of servers.'),
      scope: z.enum(['all', 'store']).default('all').describe('`store` leaves out entries of the configuration file.'),
    }),
    responses: { 200: exportSchema },
    problems: ['FRESH_PROOF_REQUIRED'],
  },
  importAll: {
    method: 'POST',
    path: '/import',
    tag,
    summary:
      'Imports an export, a `tooldex.json` or `{ "mcpServers": … }`: all or nothing. Entries that it does not name stay.',
    query: z.strictObject({
      dryRun: flag.default(true).describe('Reports the effect without applying it. Send `false` to apply.'),
    }),
    body: z.record(z.string(), z.unknown()),
    responses: { 200: importPlan },
    problems: ['FRESH_PROOF_REQUIRED'],
    maxBodyBytes: 20 * 1024 * 1024,
  },
} as const satisfies Record<string, AdminRoute>

/** An export. */
export type AdminExport = z.output<typeof exportSchema>
/** The effect of an import. */
export type ImportPlan = z.output<typeof importPlan>
