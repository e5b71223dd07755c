import { z } from 'zod'

/** The rules of the scanner. Names are part of reports and of lists of accepted findings, so they are never reused. */
export const FINDING_RULES = [
  'hidden-characters',
  'confusable-characters',
  'terminal-controls',
  'padding',
  'hidden-markup',
  'encoded-payload',
  'deceptive-link',
  'instructions-to-model',
  'override',
  'concealment',
  'exfiltration',
  'command',
  'shadowing',
  'redirection',
  'imitation',
  'context-parameter',
  'credential-request',
  'sensitive-argument',
  'search-bait',
  'unscanned-rest',
] as const

/** A finding that a person looked at and accepted: by its rule in one tool (`*`: in all), or by its fingerprint. */
export const acceptedFindingSchema = z.union([
  z.strictObject({
    rule: z.enum(FINDING_RULES).describe('The rule, as `tooldex scan` names it.'),
    tool: z.string().min(1).describe('The server’s own name of the tool; `*` for all of them.'),
  }),
  z.strictObject({
    fingerprint: z
      .string()
      .regex(/^[0-9a-f]{16}$/, 'must be a fingerprint of 16 hexadecimal digits, as `tooldex scan --json` prints it')
      .describe('One finding; it counts again when the text that was found changes.'),
  }),
])

/** A finding that a person accepted. */
export type AcceptedFinding = z.output<typeof acceptedFindingSchema>
