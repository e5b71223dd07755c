import { z } from 'zod'
import { type AdminRoute, count, moment } from './parts.ts'

const tag = 'audit'

const common = {
  id: z.string().optional().describe('Absent in the live stream: entries are sent before they are stored.'),
  at: moment,
  requestId: z.string(),
  tokenId: z.string(),
  tokenName: z.string().optional().describe('The current name of the token.'),
  projectId: z.string(),
  projectName: z.string().optional().describe('The current name of the project.'),
  endpointId: z.string(),
  removed: z
    .array(z.enum(['token', 'project', 'endpoint', 'server']))
    .optional()
    .describe(
      'Kinds of things that the entry refers to and that no longer exist, so that they have no name. Absent if all exist.',
    ),
  durationMs: z.number(),
  outcome: z.string().describe('`ok`, `tool-error` (the server’s own error result), or a code.'),
}

/** A search or a call; never arguments, never results. */
const auditEntrySchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('search'),
    ...common,
    queryCount: z.int(),
    resultKeys: z.array(z.string()),
    answeredBy: z.string(),
    degraded: z.string().optional(),
  }),
  z.strictObject({
    kind: z.literal('call'),
    ...common,
    serverId: z.string(),
    toolKey: z.string(),
    requestBytes: z.int(),
    resultBytes: z.int(),
  }),
])

const time = z.coerce.number().int().min(0).describe('Milliseconds since 1970.')

const filter = {
  kind: z.enum(['search', 'call']).optional(),
  token: z.string().optional(),
  project: z.string().optional(),
  endpoint: z.string().optional(),
  server: z.string().optional(),
  tool: z.string().optional().describe('A tool key.'),
  request: z.string().optional(),
  outcome: z.string().optional().describe('`ok`, a code, or `error` for everything that is not `ok`.'),
  from: time.optional(),
  until: time.optional(),
}

const sums = z.strictObject({ from: moment, searches: z.int(), calls: z.int(), errors: z.int() })

/** Everything about audit entries. */
export const auditRoutes = {
  listAudit: {
    method: 'GET',
    path: '/audit',
    tag,
    summary: 'Entries, newest first.',
    query: z.strictObject({ ...filter, limit: count(500, 50), cursor: z.string().optional() }),
    responses: {
      200: z.strictObject({
        items: z
          .array(auditEntrySchema)
          .describe('Fewer than the limit, even none, if finding more would take long: continue with nextCursor.'),
        nextCursor: z.string().optional().describe('Absent on the last page only.'),
      }),
    },
  },
  exportAudit: {
    method: 'GET',
    path: '/audit/export',
    tag,
    summary: 'Every matching entry, oldest first, streamed.',
    query: z.strictObject({ ...filter, format: z.enum(['jsonl', 'csv']).default('jsonl') }),
    responses: { 200: ['application/jsonl', 'text/csv'] },
  },
  sumAudit: {
    method: 'GET',
    path: '/audit/sums',
    tag,
    summary: 'How many searches, calls and errors, in steps of time, for charts.',
    query: z.strictObject({
      ...filter,
      stepMs: z.coerce.number().int().min(1_000).default(3_600_000).describe('Of one step; at most 2,000 steps.'),
    }),
    responses: { 200: z.strictObject({ items: z.array(sums) }) },
  },
  followAudit: {
    method: 'GET',
    path: '/audit/stream',
    tag,
    summary: 'Entries of this process as they happen, as server-sent events.',
    query: z.strictObject(filter),
    responses: { 200: ['text/event-stream'] },
  },
} as const satisfies Record<string, AdminRoute>

/** An audit entry as the API shows it. */
export type AdminAuditEntry = z.output<typeof auditEntrySchema>
/** How audit entries are filtered in a URL. */
export type AuditQuery = z.output<typeof auditRoutes.followAudit.query>
