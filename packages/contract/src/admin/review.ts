import { z } from 'zod'
import { type AdminRoute, moment } from './parts.ts'

const tag = 'review'

const kind = z
  .enum(['tool', 'prompt', 'resource-template', 'instructions', 'program'])
  .describe('`instructions` and `program` (the command line or URL) are of the server itself and have no name.')

const reason = z.strictObject({
  rule: z.string().describe('Such as `loosened-annotation`, `renamed-denied`, `strict`, or a rule of the scanner.'),
  severity: z.enum(['hold', 'block']),
  message: z.string().describe('A sentence.'),
  field: z.string().optional().describe('Where in the definition.'),
  offset: z.int().optional().describe('Where in that text, in UTF-16 units.'),
  length: z.int().optional(),
  excerpt: z.string().optional().describe('The words in question. Untrusted.'),
})

const piece = z.strictObject({ how: z.enum(['same', 'added', 'removed']), text: z.string() })

const fieldDiff = z.strictObject({
  field: z.string().describe('Such as `inputSchema.properties.path.description`; empty for a plain text.'),
  pieces: z.array(piece).describe('Word by word. Untrusted text, as the server sent it: show hidden characters.'),
})

const decision = z.strictObject({
  how: z
    .enum(['first-seen', 'added', 'recorded', 'approved', 'imported'])
    .describe(
      '`first-seen`: with the first list. `added` later, or changed and `recorded`: harmless, by the gateway itself.',
    ),
  by: z.string().optional().describe('The token of the administrator; absent if the gateway decided.'),
  at: moment,
})

const itemSchema = z.strictObject({
  server: z.string().describe('Its id.'),
  serverName: z.string(),
  kind,
  name: z.string().describe('The tool’s or prompt’s name, the URI of a template; empty for the server itself.'),
  state: z
    .enum(['held', 'blocked', 'recorded'])
    .describe('`held` waits, `blocked` was refused, `recorded` is in use and was seen by no person yet.'),
  hash: z.string().describe('Of the definition; send it with a decision.'),
  isNew: z.boolean().describe('It was never approved before.'),
  isServed: z.boolean().describe('Clients can use the approved definition meanwhile; of `recorded`: the new one.'),
  since: moment.describe('When the gateway first saw it, in milliseconds since 1970.'),
  reasons: z.array(reason),
  approved: decision.optional().describe('The definition that it would replace, or has replaced.'),
  diff: z.array(fieldDiff).describe('The approved definition beside this one; a new one has only added text.'),
})

const decided = z.strictObject({
  items: z
    .array(
      z.strictObject({
        server: z.string(),
        kind: kind.default('tool'),
        name: z.string().default(''),
        hash: z.string(),
      }),
    )
    .min(1)
    .max(20_000)
    .describe('All or none: if one of them has changed since, nothing is decided (409).'),
})

const decisionAnswer = z.strictObject({
  decided: z.int(),
  waiting: z.int().describe('Definitions that still wait.'),
})

/** One approved definition. */
const exportedPin = z.strictObject({
  server: z.string(),
  kind,
  name: z.string(),
  hash: z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits'),
  definition: z.record(z.string(), z.unknown()),
  approved: decision,
})

const exportedPins = z.strictObject({
  format: z.literal('tooldex-approvals'),
  version: z.literal(1),
  exportedAt: moment,
  pins: z.array(exportedPin),
})

/** Approving changes of servers. */
export const reviewRoutes = {
  listReview: {
    method: 'GET',
    path: '/review',
    tag,
    summary: 'Definitions that wait for approval, with reasons and a word diff, oldest first.',
    query: z.strictObject({
      state: z.enum(['held', 'blocked', 'recorded', 'all']).default('held').describe('Which ones.'),
      server: z.string().optional().describe('Of this server only.'),
    }),
    responses: {
      200: z.strictObject({
        items: z.array(itemSchema),
        waiting: z.int().describe('How many wait in all, whatever was asked for.'),
      }),
    },
    problems: ['SERVER_NOT_FOUND'],
  },
  approveReviewed: {
    method: 'POST',
    path: '/review/approve',
    tag,
    summary:
      'Approves definitions as they were seen. They are served from now on, and later changes are judged by them.',
    body: decided,
    responses: { 200: decisionAnswer },
    problems: ['SERVER_NOT_FOUND', 'REVISION_CONFLICT'],
    maxBodyBytes: 20 * 1024 * 1024,
  },
  blockReviewed: {
    method: 'POST',
    path: '/review/block',
    tag,
    summary:
      'Refuses definitions as they were seen. The approved ones stay in use where they still fit; a recorded change is undone.',
    body: decided,
    responses: { 200: decisionAnswer },
    problems: ['SERVER_NOT_FOUND', 'REVISION_CONFLICT'],
    maxBodyBytes: 20 * 1024 * 1024,
  },
  exportApprovals: {
    method: 'GET',
    path: '/review/export',
    tag,
    summary: 'All approved definitions, for another gateway.',
    query: z.strictObject({ server: z.string().optional().describe('Of this server only.') }),
    responses: { 200: exportedPins },
    problems: ['SERVER_NOT_FOUND'],
  },
  importApprovals: {
    method: 'POST',
    path: '/review/import',
    tag,
    summary:
      'Takes over approved definitions of another gateway: all or nothing. Definitions that servers send now are judged by them.',
    body: z.record(z.string(), z.unknown()).describe('An export of approvals.'),
    responses: {
      200: z.strictObject({
        imported: z.int(),
        unknownServers: z
          .array(z.string())
          .describe('Servers that this gateway does not have; kept for the time when it does.'),
        waiting: z.int(),
      }),
    },
    maxBodyBytes: 64 * 1024 * 1024,
  },
} as const satisfies Record<string, AdminRoute>

/** The schema of an export of approvals. */
export const approvalsSchema = exportedPins
/** A definition that waits for approval, was refused, or was recorded. */
export type ReviewItem = z.output<typeof itemSchema>
/** An export of approvals. */
export type ApprovalsExport = z.output<typeof exportedPins>
