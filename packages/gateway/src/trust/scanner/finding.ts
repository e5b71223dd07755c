import type { FINDING_RULES } from '@tooldex/contract'

/** What a finding means for the tool: not to be used, to be looked at by a person first, or worth knowing. */
export type Severity = 'block' | 'hold' | 'remark'

/** The name of a rule. */
export type RuleName = (typeof FINDING_RULES)[number]

/** A hit of a rule in a text. */
export interface Finding {
  readonly rule: RuleName
  readonly severity: Severity
  /** JSON pointer to the text within the definition; empty for a plain text. */
  readonly field: string
  /** Where the hit is within that text, in UTF-16 units of the original. */
  readonly offset: number
  readonly length: number
  /** The text around the hit, with hidden characters written as code points. */
  readonly excerpt: string
  /** Why the rule exists and what the hit does, in a sentence. */
  readonly explanation: string
}

/** A sentence for each rule, for people who decide about a finding. */
export const RULES: Readonly<Record<RuleName, string>> = {
  'hidden-characters': 'Characters that a screen does not show can carry text that a model reads.',
  'confusable-characters':
    'Letters of another alphabet look like Latin ones, so that a name or word is not what it seems.',
  'terminal-controls': 'Control sequences change what a terminal shows.',
  padding: 'A long gap pushes the text after it out of sight.',
  'hidden-markup': 'Markup keeps this text from being displayed, while a model reads it.',
  'encoded-payload': 'Encoded text contains something that this scanner finds once it is decoded.',
  'deceptive-link': 'A link or image leads elsewhere than it says, or sends data with its address.',
  'instructions-to-model': 'The text gives the model orders that go beyond the description of a tool.',
  override: 'The text asks to ignore instructions, rules or wishes of the user.',
  concealment: 'The text asks to keep something from the user, or to act without asking.',
  exfiltration: 'The text asks to read or pass on files, secrets or conversations.',
  command: 'The text asks to run a command that is not the tool itself.',
  shadowing: 'The text changes how tools other than its own are used.',
  redirection: 'The text declares a tool unusable and sends the model to another.',
  imitation: 'The tool has nearly the name or text of a tool of another server.',
  'context-parameter': 'A parameter asks for the conversation, the instructions of the model, or secrets.',
  'credential-request': 'The text asks the user for a password, a key or a recovery phrase.',
  'sensitive-argument': 'An argument names a file that usually holds secrets.',
  'search-bait': 'Praise or a demand to be preferred serves to be chosen more often, not to describe the tool.',
  'unscanned-rest': 'The text is longer than the scanner reads, so its end was not looked at.',
}

const ORDER: readonly Severity[] = ['remark', 'hold', 'block']

/** Whether a severity is at least as serious as another. */
export function isAtLeast(severity: Severity, least: Severity): boolean {
  return ORDER.indexOf(severity) >= ORDER.indexOf(least)
}

/** The most serious severity among findings, if there are any. */
export function worstOf(findings: readonly Pick<Finding, 'severity'>[]): Severity | undefined {
  return ORDER.findLast((severity) => findings.some((finding) => finding.severity === severity))
}
