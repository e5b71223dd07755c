import { type Command, Option } from 'commander'
import { STRATEGIES, wholeNumber } from '../terminal/command-options.ts'
import type { EffectiveSettings } from '@tooldex/contract/admin'
import type { ResultBudget } from '../../model/settings.ts'

/** Exposure options of projects and endpoints. */
export interface DisclosureOptions {
  readonly exposure?: 'full' | 'deferred' | 'limited' | 'search-only' | 'meta-tools' | 'auto'
  readonly dialect?: 'router' | 'mcproxy' | 'metamcp'
  /** `off` turns search off. */
  readonly strategy?: 'lexical' | 'regex' | 'bm25' | 'embeddings' | 'hybrid' | 'cloud' | 'off'
  readonly maxTools?: number
  readonly tokenBudget?: number
  readonly resultBudget?: ResultBudget
  readonly learning?: 'on' | 'off'
}

/** The options as configuration settings. */
export function disclosureOf(options: DisclosureOptions) {
  const { exposure, dialect, strategy, maxTools, tokenBudget, resultBudget, learning } = options
  return {
    ...(exposure !== undefined && { exposure }),
    ...(dialect !== undefined && { dialect }),
    ...(strategy !== undefined && { strategy: strategy === 'off' ? null : strategy }),
    ...(maxTools !== undefined && { maxTools }),
    ...(tokenBudget !== undefined && { tokenBudget }),
    ...(resultBudget !== undefined && { resultBudget }),
    ...(learning !== undefined && { learning: learning === 'on' }),
  }
}

/** Each effective setting with its origin. */
export function settingFacts(settings: EffectiveSettings): (readonly [string, string])[] {
  return Object.entries(settings).map(([name, { value, from }]) => [name, `${JSON.stringify(value)} (${from})`])
}

/** Adds the exposure options, which projects and endpoints share. */
export function disclosure(command: Command): Command {
  return command
    .addOption(
      new Option('--exposure <name>', 'which tools tools/list shows').choices([
        ...['full', 'deferred', 'limited', 'search-only', 'meta-tools', 'auto'],
      ]),
    )
    .addOption(new Option('--strategy <name>', 'search strategy').choices([...STRATEGIES, 'off']))
    .addOption(
      new Option('--dialect <name>', 'names of the gateway’s own tools').choices(['router', 'mcproxy', 'metamcp']),
    )
    .option('--max-tools <number>', 'with limited: number of listed tools', wholeNumber(1, 100_000))
    .option('--token-budget <number>', 'with auto: list all tools up to this many tokens', wholeNumber(0, 10_000_000))
    .option('--result-budget <tokens>', 'the most tokens of a result: a number, auto or off', resultBudget)
    .addOption(new Option('--learning <state>', 'whether searches learn from use').choices(['on', 'off']))
}

const tokens = wholeNumber(500, 10_000_000)

function resultBudget(text: string): ResultBudget {
  return text === 'auto' || text === 'off' ? text : tokens(text)
}
