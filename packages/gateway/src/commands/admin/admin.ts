import type { CommandContext, CommonOptions } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import type { AdminClient } from './admin-client.ts'

/** What a command that manages the gateway is handed. */
export interface Admin {
  readonly client: AdminClient
  readonly context: CommandContext
  readonly options: CommonOptions
}

/** Answers: as one JSON document for programs, as lines for people. */
export function answer({ context, options }: Admin, value: unknown, lines: readonly string[]): number {
  context.terminal.out(options.json === true ? `${JSON.stringify(value)}\n` : `${lines.join('\n')}\n`)
  return EXIT.ok
}

/** "no, a and b" */
export const listed = (names: readonly string[]): string => (names.length === 0 ? 'none' : names.join(', '))
