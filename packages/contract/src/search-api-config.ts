import { z } from 'zod'

const token = z.string().regex(/^[\x21-\x7e]{1,8192}$/, 'must be a bearer token: no spaces, no line breaks')

/** Which Search API answers `cloud`. */
export const searchApiSchema = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: 'must be an http:// or https:// address such as http://127.0.0.1:7421' })
    .refine((url) => !/^https?:\/\/[^/?#]*@/i.test(url), 'must not have a user name or password; use token')
    .optional()
    .describe('Its address; `tooldex search-api` prints one. Without it nothing is sent anywhere, and `bm25` answers.'),
  token: token.optional().describe('Sent as a bearer token, to this address only: `"${SEARCH_API_TOKEN}"`.'),
  projectTokens: z
    .record(z.string(), token)
    .default({})
    .describe('By project id: tokens to use in place of `token`, where each is good for one project.'),
  timeoutMs: z
    .int()
    .min(50)
    .max(60_000)
    .default(5_000)
    .describe('How long a search waits for it before `bm25` answers.'),
})
