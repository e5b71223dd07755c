import type { RouteAnswer } from '@tooldex/contract/admin'
import type { CommandContext } from '../gateway/context.ts'
import type { CommonOptions } from '../terminal/command-options.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import type { AdminClient } from './admin-client.ts'

/** The admin API, and the context and options of the command that uses it. */
export interface Admin {
  readonly client: AdminClient
  readonly context: CommandContext
  readonly options: CommonOptions
}

/** Runs the commands that the program registers. */
export interface Registry {
  /** Sets the exit code of the program. */
  readonly done: (exitCode: number) => void
  /** Runs one task with the admin API, of a running gateway or in this process, and sets the exit code. */
  readonly manage: (options: CommonOptions, work: (admin: Admin) => Promise<number>) => Promise<void>
}

/** Prints the answer: one JSON document with `--json`, else lines. */
export function answer({ context, options }: Admin, value: unknown, lines: readonly string[]): number {
  context.terminal.out(options.json === true ? `${JSON.stringify(value)}\n` : `${lines.join('\n')}\n`)
  return EXIT.ok
}

/** "a, b", or "none". */
export const listed = (names: readonly string[]): string => (names.length === 0 ? 'none' : names.join(', '))

/** Prints what was removed, and everything that changed with it. */
export function answerRemoval(
  admin: Admin,
  noun: string,
  removal: RouteAnswer<'removeServer'>,
  name = removal.removed,
): number {
  const { alsoRemoved, narrowed } = removal
  return answer(admin, removal, [
    `  ${noun === 'token' ? 'revoked' : 'removed'} the ${noun} ${name}`,
    ...alsoRemoved.map((each) => `  removed ${each}, too`),
    ...narrowed.map((each) => `  ${each} no longer names it`),
  ])
}

/** Prints server-sent events as they arrive, until the stream ends or the user stops the command. */
export async function follow<Event>(
  { context: { terminal, signals }, options }: Admin,
  open: (signal: AbortSignal) => Promise<Response>,
  render: (event: Event) => string,
): Promise<number> {
  const stopping = new AbortController()
  void signals.stop().then(() => stopping.abort())
  for await (const event of eventsOf(await open(stopping.signal))) {
    terminal.out(options.json === true ? `${JSON.stringify(event)}\n` : `${render(event as Event)}\n`)
  }
  return EXIT.ok
}

/** The JSON of each server-sent event, until the stream ends or its reader aborts. */
async function* eventsOf(response: Response): AsyncGenerator<unknown> {
  if (response.body === null) return
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for await (const chunk of response.body) {
      const parts = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split(/\r?\n\r?\n/)
      rest = parts.pop() ?? ''
      for (const part of parts) {
        const data = part.split(/\r?\n/).flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trim()] : []))
        if (data.length > 0) yield JSON.parse(data.join('\n')) as unknown
      }
    }
  } catch (error) {
    if (!(error instanceof Error && error.name === 'AbortError')) throw error
  }
}
