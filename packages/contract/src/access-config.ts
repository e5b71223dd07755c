import { z } from 'zod'

const address = z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' })

/** An identity provider whose JWTs are accepted beside our own tokens. */
export const authSchema = z.strictObject({
  issuer: address.describe('Who signs: the `iss` of its JWTs, exactly. Clients are told to ask there.'),
  audience: z
    .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
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
