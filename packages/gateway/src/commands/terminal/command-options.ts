import { type Command, InvalidArgumentError } from 'commander'
import { GatewayError } from '../../errors.ts'

/** Options of most commands. */
export interface CommonOptions {
  readonly config?: string
  readonly data?: string
  readonly database?: string
  readonly json?: boolean
}

/** Adds the common options to a command. */
export function common(command: Command, { json = true }: { readonly json?: boolean } = {}): Command {
  command
    .option('--config <file>', 'configuration (default: ./tooldex.json, then ~/.tooldex/tooldex.json, then none)')
    .option('--data <folder>', 'data folder; overrides the configuration')
    .option('--database <url>', 'PostgreSQL database; overrides the configuration')
  return json ? command.option('--json', 'print JSON') : command
}

/** Search strategies. */
export const STRATEGIES = ['lexical', 'regex', 'bm25', 'embeddings', 'hybrid', 'cloud'] as const

/** Strategies that `tooldex eval` compares, in the order of its table; `cloud` runs elsewhere. */
export const EVAL_STRATEGIES = ['lexical', 'regex', 'bm25', 'embeddings', 'hybrid'] as const

/** The examples at the end of a help text. */
export function examples(...lines: readonly string[]): string {
  return ['', 'Examples:', ...lines.map((line) => `  ${line}`)].join('\n')
}

/** A parser of whole numbers within a range. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (Number.isInteger(number) && number >= least && number <= most && text.trim() !== '') return number
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`)
  }
}

/** Collects the values of an option that is given several times. */
export const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value]

/** `K=V` and `K: V` as entries of a record. @throws GatewayError INVALID_ARGUMENTS */
export function pairs(
  texts: readonly string[] | undefined,
  separator: '=' | ':',
  option: string,
): Record<string, string> | undefined {
  if (texts === undefined || texts.length === 0) return undefined
  const entries = texts.map((text) => {
    const at = text.indexOf(separator)
    const name = text.slice(0, Math.max(0, at)).trim()
    if (name !== '') return [name, separator === ':' ? text.slice(at + 1).trim() : text.slice(at + 1)] as const
    // The message leaves out the text, because its second half may be a secret.
    const example = separator === '=' ? 'NAME=value' : '"Name: value"'
    throw new GatewayError('INVALID_ARGUMENTS', { reason: `${option} takes ${example}` })
  })
  return Object.fromEntries(entries)
}
