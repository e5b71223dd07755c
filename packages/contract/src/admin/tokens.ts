import { z } from 'zod'
import { type AdminRoute, managedBy, moment, pageOf, pageQuery, removalSchema } from './parts.ts'
import { ADMIN_ROLES } from './roles.ts'

const tag = 'tokens'
const params = z.strictObject({ token: z.string().describe('The id of the token.') })
const name = z.string().trim().min(1, 'must not be empty').max(200)

const role = z
  .enum(ADMIN_ROLES)
  .describe('Of an admin token: a `reader` sees, an `operator` also restarts, approves and tries tools.')

const scopes = {
  projects: z.array(z.string()).describe('Ids of projects that it may use; absent = all, empty = none.'),
  servers: z.array(z.string()).describe('Ids of servers that it may use; absent = all of the project.'),
  tools: z
    .array(z.string().regex(/^[^:]+:./, 'must be a tool key, server:tool'))
    .describe('An allow-list of tool keys (`server:tool`): these and no others; absent = all of the project.'),
  readOnly: z.boolean().describe('Only tools whose approved definition is annotated as read-only.'),
  expiresAt: moment.describe('Time of expiry, in milliseconds since 1970; absent = never.'),
}

/** A token: never its secret. */
const adminTokenSchema = z.strictObject({
  id: z.string().describe('As in audit entries.'),
  name: z.string(),
  kind: z.enum(['client', 'admin']),
  role: role.optional(),
  managedBy,
  file: z.string().optional(),
  revision: z.string().optional(),
  createdAt: moment.optional(),
  updatedAt: moment.optional(),
  projects: scopes.projects.optional(),
  servers: scopes.servers.optional(),
  tools: scopes.tools.optional(),
  readOnly: scopes.readOnly,
  expiresAt: scopes.expiresAt.optional(),
  isExpired: z.boolean(),
  lastUsedAt: moment.optional(),
})

const newToken = z.strictObject({
  name,
  kind: z.enum(['client', 'admin']).default('client').describe('An admin token opens this API and no endpoint.'),
  role: role.optional().describe('Of an admin token; `administrator` if absent.'),
  projects: scopes.projects.optional(),
  servers: scopes.servers.optional(),
  tools: scopes.tools.optional(),
  readOnly: scopes.readOnly.default(false),
  expiresAt: scopes.expiresAt.optional(),
})

const tokenPatch = z.strictObject({
  name: name.optional(),
  role: role.optional().describe('Of an admin token.'),
  projects: scopes.projects.optional(),
  servers: scopes.servers.optional(),
  tools: scopes.tools.optional(),
  readOnly: scopes.readOnly.optional(),
  expiresAt: scopes.expiresAt.optional(),
  unset: z
    .array(z.enum(['projects', 'servers', 'tools', 'expiresAt']))
    .optional()
    .describe('Scopes to remove.'),
})

const step = z.strictObject({
  question: z.string().describe('Such as “Is the server in the project?”.'),
  ok: z.boolean(),
  answer: z.string(),
  remedy: z.string().optional(),
  page: z
    .enum(['token', 'project', 'server', 'tool', 'review'])
    .optional()
    .describe('The page of the console where the remedy is at hand.'),
})

const explanation = z.strictObject({
  token: z.string(),
  tool: z.string(),
  allowed: z.boolean().describe('Whether it can be used through any project.'),
  projects: z.array(
    z.strictObject({
      project: z.string(),
      name: z.string().describe('Of the project.'),
      endpoints: z.array(z.string()).describe('Through which endpoints.'),
      allowed: z.boolean(),
      steps: z.array(step).describe('In the order of evaluation; all of them, so that all obstacles are visible.'),
    }),
  ),
})

/** Everything about tokens. */
export const tokenRoutes = {
  listTokens: {
    method: 'GET',
    path: '/tokens',
    tag,
    summary: 'The tokens in the order of their names, with scopes, expiry and last use; never a secret.',
    query: pageQuery,
    responses: { 200: pageOf(adminTokenSchema) },
  },
  getToken: {
    method: 'GET',
    path: '/tokens/{token}',
    tag,
    summary: 'One token.',
    params,
    responses: { 200: adminTokenSchema },
    problems: ['TOKEN_NOT_FOUND'],
  },
  createToken: {
    method: 'POST',
    path: '/tokens',
    tag,
    summary: 'Creates a token. The secret is in this answer only.',
    body: newToken,
    responses: { 201: z.strictObject({ secret: z.string(), token: adminTokenSchema }) },
    problems: ['NAME_TAKEN', 'FRESH_PROOF_REQUIRED'],
  },
  changeToken: {
    method: 'PATCH',
    path: '/tokens/{token}',
    tag,
    summary: 'Changes name, role, scopes or expiry. Takes effect immediately, for open streams and sessions as well.',
    params,
    body: tokenPatch,
    responses: { 200: adminTokenSchema },
    heedsRevision: true,
    problems: [
      ...['TOKEN_NOT_FOUND', 'NAME_TAKEN', 'FILE_MANAGED', 'REVISION_CONFLICT', 'LAST_ADMIN_TOKEN'],
      'FRESH_PROOF_REQUIRED',
    ],
  },
  rotateToken: {
    method: 'POST',
    path: '/tokens/{token}/rotate',
    tag,
    summary:
      'Gives a token a new secret, which is in this answer only. The old secret stays valid for a while, as a token of its own that can be seen, revoked and watched for its last use.',
    params,
    body: z.strictObject({
      overlapMs: z
        .int()
        .min(0)
        .max(30 * 24 * 60 * 60 * 1_000)
        .default(24 * 60 * 60 * 1_000)
        .describe('How long the old secret stays valid; 0 = it ends now.'),
    }),
    responses: {
      200: z.strictObject({
        secret: z.string(),
        token: adminTokenSchema,
        previous: adminTokenSchema.optional().describe('The old secret, until it expires; absent without an overlap.'),
      }),
    },
    heedsRevision: true,
    problems: ['TOKEN_NOT_FOUND', 'FILE_MANAGED', 'REVISION_CONFLICT', 'FRESH_PROOF_REQUIRED'],
  },
  revokeToken: {
    method: 'DELETE',
    path: '/tokens/{token}',
    tag,
    summary: 'Revokes a token. It is refused immediately, and its streams end.',
    params,
    responses: { 200: removalSchema },
    heedsRevision: true,
    problems: ['TOKEN_NOT_FOUND', 'FILE_MANAGED', 'LAST_ADMIN_TOKEN', 'REVISION_CONFLICT'],
  },
  explainToken: {
    method: 'GET',
    path: '/tokens/{token}/explain',
    tag,
    summary: 'Why a token can or cannot use a tool, step by step.',
    params,
    query: z.strictObject({ tool: z.string().min(1).describe('A tool key.'), project: z.string().optional() }),
    responses: { 200: explanation },
    problems: ['TOKEN_NOT_FOUND', 'PROJECT_NOT_FOUND'],
  },
} as const satisfies Record<string, AdminRoute>

/** A token as the API shows it. */
export type AdminToken = z.output<typeof adminTokenSchema>
/** The body that creates one. */
export type NewToken = z.output<typeof newToken>
/** The body that changes one. */
export type TokenPatch = z.output<typeof tokenPatch>
/** Why a token can or cannot use a tool. */
export type TokenExplanation = z.output<typeof explanation>
