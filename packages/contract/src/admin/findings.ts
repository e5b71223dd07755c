import { z } from 'zod'
import { FINDING_RULES } from '../findings-config.ts'
import type { AdminRoute } from './parts.ts'

const tag = 'findings'

/** A hit of a rule of the scanner in something that a server offers. */
const findingSchema = z.strictObject({
  server: z.string(),
  kind: z.enum(['tool', 'prompt', 'resource', 'resource template', 'instructions']).describe('What was scanned.'),
  name: z.string().describe('Its name; empty for the instructions of a server. Untrusted text.'),
  rule: z.enum(FINDING_RULES),
  severity: z
    .enum(['block', 'hold', 'remark'])
    .describe(
      '`block`: hostile by all appearances. `hold`: a person should look at it first. `remark`: worth knowing.',
    ),
  field: z.string().describe('JSON pointer to the text within the definition.'),
  offset: z.int().describe('Where the hit is within that text.'),
  length: z.int(),
  excerpt: z.string().describe('The text around it, hidden characters written as code points. Untrusted text.'),
  explanation: z.string(),
  fingerprint: z.string().describe('For `acceptedFindings` of the server.'),
})

/** What the scanner found. */
const scanReportSchema = z.strictObject({
  servers: z.int().describe('How many servers were scanned.'),
  texts: z.int().describe('How many tools, prompts, resources and instructions.'),
  accepted: z.int().describe('Findings that are left out because a person accepted them.'),
  findings: z.array(findingSchema),
})

/** Everything about findings of the scanner. */
export const findingRoutes = {
  listFindings: {
    method: 'GET',
    path: '/findings',
    tag,
    summary: 'What the scanner finds in the definitions of all servers, or of one.',
    query: z.strictObject({ server: z.string().optional() }),
    responses: { 200: scanReportSchema },
    problems: ['SERVER_NOT_FOUND'],
  },
} as const satisfies Record<string, AdminRoute>

/** What the scanner found. */
export type ScanReport = z.output<typeof scanReportSchema>
