import { z } from 'zod'
import { type AdminRoute, count, flag, moment } from './parts.ts'
import { ADMIN_ROLES } from './roles.ts'

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
  transport: z
    .enum(['streamable-http', 'stateless-http', 'sse', 'stdio', 'console', 'admin-api', 'command-line'])
    .optional()
    .describe('`stateless-http` is Streamable HTTP of 2026-07-28. Absent in entries of earlier releases.'),
  clientName: z.string().optional().describe('The client program, as it names itself.'),
  clientVersion: z.string().optional(),
  isDamaged: z
    .literal(true)
    .optional()
    .describe('The stored entry is malformed; what could not be read is empty. `tooldex audit verify` names it.'),
  chain: z
    .strictObject({
      writer: z.string().optional(),
      seq: z.int(),
      hash: z.string(),
      queryDigest: z.string().optional(),
      querySalt: z.string().optional(),
    })
    .optional()
    .describe(
      'The place in the chain, for `tooldex audit verify`. Absent in the live stream and in entries of earlier releases.',
    ),
}

const change = z.strictObject({
  of: z.enum(['server', 'project', 'endpoint', 'token', 'setting']),
  id: z.string(),
  name: z.string().optional().describe('The name at that time, where people gave one.'),
  how: z.enum(['added', 'changed', 'removed']),
  fields: z.array(z.string()).describe('Names of changed fields, never values.'),
})

/** A search, a call, an administrative act or refused tokens; never arguments, never results. */
const auditEntrySchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('search'),
    ...common,
    queryCount: z.int(),
    queries: z
      .array(z.string())
      .optional()
      .describe('The texts, cut and without secrets; absent once they are removed, or if they are not kept.'),
    resultKeys: z.array(z.string()),
    answeredBy: z.string(),
    degraded: z.string().optional(),
    notices: z
      .array(z.string())
      .optional()
      .describe('Why the answer was empty or incomplete, as codes such as `SERVERS_FAILED`.'),
  }),
  z.strictObject({
    kind: z.literal('call'),
    ...common,
    serverId: z.string().describe('Empty if `toolKey` names no tool within the caller’s reach.'),
    toolKey: z.string().describe('The key of the tool, or the text that the caller wrote.'),
    requestBytes: z.int(),
    resultBytes: z.int(),
  }),
  z.strictObject({
    kind: z.literal('change'),
    ...common,
    action: z.string().describe('The operation of this API, such as `changeServer`.'),
    target: z.string().describe('The entry that the request named.'),
    role: z
      .enum(ADMIN_ROLES)
      .optional()
      .describe('The role of the token at that time. Absent in entries of earlier releases.'),
    changes: z.array(change),
  }),
  z.strictObject({
    kind: z.literal('refusal'),
    ...common,
    address: z.string(),
    count: z.int().describe('Refused requests of this address between `at` and `lastAt`.'),
    lastAt: moment,
  }),
])

const time = z.coerce.number().int().min(0).describe('Milliseconds since 1970.')

const filter = {
  kind: z.enum(['search', 'call', 'change', 'refusal']).optional(),
  token: z.string().optional(),
  project: z.string().optional(),
  endpoint: z.string().optional(),
  server: z.string().optional(),
  tool: z.string().optional().describe('A tool key, or the text of a refused call.'),
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
    summary:
      'Every matching entry, oldest first, streamed. As JSON Lines, the first line describes the export and the last one ends it.',
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
  listSearches: {
    method: 'GET',
    path: '/audit/searches',
    tag,
    summary: 'Searches by their texts: how often, and how often they found nothing or led to no call.',
    query: z.strictObject({
      project: z.string().optional(),
      from: time.optional().describe('Milliseconds since 1970; by default 30 days ago.'),
      until: time.optional(),
      unanswered: flag.default(false).describe('Only searches that found nothing or led to no call.'),
      limit: count(500, 50),
    }),
    responses: {
      200: z.strictObject({
        items: z.array(
          z.strictObject({
            queries: z.array(z.string()).describe('Several are several intents of one search.'),
            searches: z.int(),
            foundNothing: z.int(),
            ledToNoCall: z.int().describe('Searches that found tools, none of which was called within five minutes.'),
            lastAt: moment,
          }),
        ),
        withoutTexts: z.int().describe('Searches whose texts were not kept; they are not in the list.'),
      }),
    },
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
