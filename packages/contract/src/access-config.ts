import { z } from 'zod'

const address = z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' })

/** An identity provider whose JWTs are accepted beside the gateway's own tokens. */
export const authSchema = z.strictObject({
  issuer: address.describe('The `iss` of its JWTs, exactly. Clients are referred to it for a token.'),
  audience: z
    .union([z.string().min(1), z.array(z.string().min(1)).min(1)], { error: 'must be a text or a list of texts' })
    .describe('The `aud` that a JWT must have. Any other is refused.'),
  jwksUri: address
    .optional()
    .describe('Where its keys are. Found through `<issuer>/.well-known/openid-configuration` if absent.'),
  algorithms: z
    .array(
      z.enum(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']),
    )
    .min(1)
    .default(['RS256', 'PS256', 'ES256', 'EdDSA'])
    .describe('Signature algorithms that are accepted.'),
  clockToleranceSeconds: z
    .int()
    .min(0)
    .max(300)
    .default(30)
    .describe('Allowed difference between its clock and that of the gateway.'),
  scopePrefix: z
    .string()
    .min(1)
    .default('project:')
    .describe('A scope with this prefix names a project: `project:work`. A JWT without a project may use nothing.'),
  projectsClaim: z
    .string()
    .min(1)
    .optional()
    .describe('A claim with a list of project ids, for providers that cannot put them into scopes.'),
  readOnlyScope: z
    .string()
    .min(1)
    .default('read-only')
    .describe('A JWT with this scope may use only tools that their server annotates as read-only.'),
})

/** Limits on the rate of requests. */
export const rateLimitsSchema = z.strictObject({
  tokenPerMinute: z.int().positive().optional().describe('Requests of one token in a minute; no limit if absent.'),
  addressPerMinute: z
    .int()
    .positive()
    .optional()
    .describe('Requests from one address in a minute, with any token; no limit if absent.'),
})

/** An address or a network. A network of all addresses would let every client choose its own. */
export const proxyAddress = z
  .union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
    error: 'must be an IP address or a network such as 10.0.0.0/8',
  })
  .refine((network) => !network.endsWith('/0'), 'trusts every address, so that every client could choose its own')

const milliseconds = z.int().min(100).max(3_600_000)

/** Limits on the number of connections and on their waiting times. */
export const listenLimitsSchema = z.strictObject({
  maxConnections: z
    .int()
    .positive()
    .default(10_000)
    .describe(
      'Connections at a time. Beyond it, a new connection evicts the oldest unauthenticated one; if there is none, it is answered 503. Fewer if the system allows fewer open files.',
    ),
  maxConnectionsPerAddress: z
    .int()
    .positive()
    .optional()
    .describe(
      'Connections of one address at a time; no limit if absent. Behind a proxy all connections are of its address, unless it is one of `trustedProxies`: then each request counts for its client.',
    ),
  headTimeoutMs: milliseconds
    .default(10_000)
    .describe('How long a new connection may stay silent, and how long the headers of a request may take.'),
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
