import { z } from 'zod'
import { type AdminRoute, moment } from './parts.ts'
import { ADMIN_ROLES } from './roles.ts'

const tag = 'session'

const session = z.strictObject({
  name: z.string().describe('The name of the token that was used to sign in.'),
  role: z.enum(ADMIN_ROLES).describe('The current role of the token.'),
  expiresAt: moment.optional(),
  via: z.enum(['token', 'session', 'local']),
})

/** Signing in and out of a browser. */
export const sessionRoutes = {
  signIn: {
    method: 'POST',
    path: '/session',
    tag,
    access: 'open',
    summary: 'Exchanges an admin token or a one-time code for a cookie that scripts cannot read.',
    body: z.union([z.strictObject({ token: z.string().max(512) }), z.strictObject({ code: z.string().max(512) })], {
      error: 'needs either a token or a code',
    }),
    responses: {
      200: session.extend({
        pageSecret: z
          .string()
          .describe('To be sent in the header `x-tooldex-console` with every request of this session; shown once.'),
      }),
    },
    problems: ['TOKEN_INVALID', 'TOO_MANY_ATTEMPTS'],
  },
  getSession: { method: 'GET', path: '/session', tag, summary: 'The current session.', responses: { 200: session } },
  signOut: { method: 'DELETE', path: '/session', tag, summary: 'Ends the session.', responses: { 204: null } },
  createSignInCode: {
    method: 'POST',
    path: '/session/codes',
    tag,
    summary: 'Creates a one-time code that signs a browser in within ten minutes.',
    responses: { 201: z.strictObject({ code: z.string(), expiresAt: moment }) },
    problems: ['FRESH_PROOF_REQUIRED'],
  },
} as const satisfies Record<string, AdminRoute>

/** The current session. */
export type AdminSession = z.output<typeof session>
