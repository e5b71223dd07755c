import { z } from 'zod'

/** A failure, as `application/problem+json` (RFC 9457). Match on `code`. */
export const problemSchema = z.strictObject({
  type: z.string().describe('An address that stands for the code; `docs/reference/gateway-errors.md` explains each.'),
  title: z.string().describe('The code in words; the same for every failure with this code.'),
  status: z.int(),
  code: z.string().describe('What to match on: `FILE_MANAGED`, `NAME_TAKEN` …'),
  detail: z.string().describe('What failed, why, and what to do.'),
  remedy: z.string().optional(),
  problems: z
    .array(z.strictObject({ path: z.string().describe('Where in the request: `servers[0]`.'), message: z.string() }))
    .optional()
    .describe('Everything that is wrong with the request, all at once; also of a refusal that is about one field.'),
  details: z.record(z.string(), z.unknown()).optional().describe('Facts for programs; depends on the code.'),
})

/** A failure of the admin API. */
export type Problem = z.output<typeof problemSchema>
