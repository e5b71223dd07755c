import { type Command, InvalidArgumentError } from 'commander'
import { GatewayError } from '../../errors.ts'

/** Options that all commands have. */
export interface CommonOptions {
  readonly config?: string
  readonly data?: string
  readonly database?: string
  readonly json?: boolean
}

/** Adds the options that all commands have. */
export function common(command: Command, { json = true }: { readonly json?: boolean } = {}): Command {
  command
    .option('--config <file>', 'configuration; else ./tooldex.json, else ~/.tooldex/tooldex.json, else none')
    .option('--data <folder>', 'data folder, over the configuration')
    .option('--database <url>', 'PostgreSQL database, over the configuration')
  return json ? command.option('--json', 'for programs') : command
}

/** Strategies of search. */
export const STRATEGIES = ['lexical', 'regex', 'bm25', 'embeddings', 'hybrid', 'cloud'] as const

/** Strategies that `tooldex eval` compares, in the order of its table; `cloud` is answered elsewhere. */
export const EVAL_STRATEGIES = ['lexical', 'regex', 'bm25', 'embeddings', 'hybrid'] as const

/** Examples for the end of a help text. */
export function examples(...lines: readonly string[]): string {
  return ['', 'Examples:', ...lines.map((line) => `  ${line}`)].join('\n')
}

/** Reads a whole number between two. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (Number.isInteger(number) && number >= least && number <= most && text.trim() !== '') return number
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`)
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
    // Never the text itself: half of it is a secret.
    const example = separator === '=' ? 'NAME=value' : '"Name: value"'
    throw new GatewayError('INVALID_ARGUMENTS', { reason: `${option} takes ${example}` })
  })
  return Object.fromEntries(entries)
}
