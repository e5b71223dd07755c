import type { RuleName } from '../finding.ts'

/**
 * A feature of language that hostile texts have more often than honest ones. The evidence of a text is the sum of the
 * weights of its signals; no signal alone decides unless its weight says so.
 */
export interface Signal {
  readonly name: string
  readonly rule: RuleName
  readonly weight: number
  /** Finds it in a text as it was read (`reading.ts`), or in the text as it was written if `isRaw`. */
  readonly pattern: RegExp
  readonly isRaw?: true
  /** Says nothing in the first sentence of a text, which tells what the tool itself does. */
  readonly isNotPurpose?: true
  /** Counts only in texts that a server sends while it runs: results, messages, questions. */
  readonly isForResults?: true
  /** Counts only in definitions. */
  readonly isForDefinitions?: true
}
