import { type Command, Option } from 'commander'
import { STRATEGIES, wholeNumber } from '../terminal/command-options.ts'
import type { EffectiveSettings } from '@tooldex/contract/admin'

/** How tools are disclosed, as the command line says it; the same for projects and endpoints. */
export interface DisclosureOptions {
  readonly exposure?: 'full' | 'deferred' | 'limited' | 'search-only' | 'meta-tools' | 'auto'
  readonly dialect?: 'router' | 'mcproxy' | 'metamcp'
  /** `off` turns search off. */
  readonly strategy?: 'lexical' | 'regex' | 'bm25' | 'embeddings' | 'hybrid' | 'cloud' | 'off'
  readonly maxTools?: number
  readonly tokenBudget?: number
}

/** The same in the words of a configuration. */
export function disclosureOf({ exposure, dialect, strategy, maxTools, tokenBudget }: DisclosureOptions) {
  return {
    ...(exposure !== undefined && { exposure }),
    ...(dialect !== undefined && { dialect }),
    ...(strategy !== undefined && { strategy: strategy === 'off' ? null : strategy }),
    ...(maxTools !== undefined && { maxTools }),
    ...(tokenBudget !== undefined && { tokenBudget }),
  }
}

/** The settings that hold, with who says so. */
export function settingFacts(settings: EffectiveSettings): (readonly [string, string])[] {
  return Object.entries(settings).map(([name, { value, from }]) => [name, `${JSON.stringify(value)} (${from})`])
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
