import { z } from 'zod'

const address = z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' })

/** An identity provider whose JWTs are accepted beside our own tokens. */
export const authSchema = z.strictObject({
  issuer: address.describe('Who signs: the `iss` of its JWTs, exactly. Clients are told to ask there.'),
  audience: z
    .union([z.string().min(1), z.array(z.string().min(1)).min(1)], { error: 'must be a text or a list of texts' })
    .describe('What a JWT must be for: its `aud`. One for somebody else is refused.'),
  jwksUri: address
    .optional()
    .describe('Where its keys are. Found through `<issuer>/.well-known/openid-configuration` if absent.'),
  algorithms: z
    .array(
      z.enum(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']),
    )
    .min(1)
    .default(['RS256', 'PS256', 'ES256', 'EdDSA'])
    .describe('How a JWT may be signed.'),
  clockToleranceSeconds: z.int().min(0).max(300).default(30).describe('How far its clock and ours may be apart.'),
  scopePrefix: z
    .string()
    .min(1)
    .default('project:')
    .describe('A scope that begins so names a project: `project:work`. A JWT without a project may use nothing.'),
  projectsClaim: z
    .string()
    .min(1)
    .optional()
    .describe('A claim with a list of project ids, for providers that cannot make scopes of them.'),
  readOnlyScope: z
    .string()
    .min(1)
    .default('read-only')
    .describe('A JWT with this scope may use only tools that their server annotates as read-only.'),
})

/** How many requests are taken from whom. */
export const rateLimitsSchema = z.strictObject({
  tokenPerMinute: z.int().positive().optional().describe('Requests of one token in a minute; no limit if absent.'),
  addressPerMinute: z
    .int()
    .positive()
    .optional()
    .describe('Requests from one address in a minute, whatever their token; no limit if absent.'),
})

const milliseconds = z.int().min(100).max(3_600_000)

/** How many connections there may be, and how long each may keep the gateway waiting. */
export const listenLimitsSchema = z.strictObject({
  maxConnections: z
    .int()
    .positive()
    .default(10_000)
    .describe(
      'Connections at a time. Beyond it, the oldest on which nobody has shown a token gives way to a new one; where there is none, the new one is answered 503. Fewer where the system allows fewer open files.',
    ),
  maxConnectionsPerAddress: z
    .int()
    .positive()
    .optional()
    .describe(
      'Connections of one address at a time; no limit if absent. Behind a proxy all connections are of its address.',
    ),
  headTimeoutMs: milliseconds
    .default(10_000)
    .describe('How long a new connection may say nothing, and the headers of a request may take.'),
  requestTimeoutMs: milliseconds.default(60_000).describe('How long a request may take to arrive, its body included.'),
  keepAliveMs: milliseconds.default(60_000).describe('How long a connection is kept for another request.'),
  unreadTimeoutMs: milliseconds
    .default(60_000)
    .describe(
      'How long a client may read nothing of its answer before the connection is closed; a minute more for each megabyte that waits.',
    ),
  maxBodyBytes: z
    .int()
    .positive()
    .default(4 * 1024 * 1024)
    .describe('A larger request to an endpoint is answered 413.'),
})
