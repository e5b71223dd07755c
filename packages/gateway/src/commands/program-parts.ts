import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CommonOptions } from './context.ts'
import type { Admin } from './admin/admin.ts'

/** What commands are registered with. */
export interface Registry {
  /** Takes the exit code of the command that ran. */
  readonly done: (exitCode: number) => void
  /** Opens the admin API, of a running gateway or in this process, for one piece of work, and keeps the exit code. */
  readonly manage: (options: CommonOptions, work: (admin: Admin) => Promise<number>) => Promise<void>
}

/** Adds the options that all commands have. */
export function common(command: Command, { json = true }: { readonly json?: boolean } = {}): Command {
  command
    .option('--config <file>', 'configuration; else ./tooldex.json, else ~/.tooldex/tooldex.json, else none')
    .option('--data <folder>', 'data folder, over the configuration')
    .option('--database <url>', 'PostgreSQL database, over the configuration')
  return json ? command.option('--json', 'for programs') : command
}

/** Adds settings of disclosure, which projects and endpoints share. */
export function disclosure(command: Command): Command {
  return command
    .addOption(
      new Option('--exposure <name>', 'what a list shows').choices([
        ...['full', 'deferred', 'limited', 'search-only', 'meta-tools', 'auto'],
      ]),
    )
    .addOption(new Option('--strategy <name>', 'how search ranks').choices([...STRATEGIES, 'off']))
    .addOption(new Option('--dialect <name>', 'names of our own tools').choices(['router', 'mcproxy', 'metamcp']))
    .option('--max-tools <number>', 'with limited: how many are listed', wholeNumber(1, 100_000))
    .option('--token-budget <number>', 'with auto: list everything below this', wholeNumber(0, 10_000_000))
}

/** Strategies of search. */
export const STRATEGIES = ['lexical', 'regex', 'bm25', 'embeddings', 'hybrid', 'cloud'] as const

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
