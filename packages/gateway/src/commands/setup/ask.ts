import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import type { CommandContext } from '../gateway/context.ts'

/** Whether a person can be asked: input and output are terminals. */
export function canAsk({ terminal, streams }: CommandContext): boolean {
  return terminal.interactive && (streams.input as { readonly isTTY?: boolean }).isTTY === true
}

/**
 * Asks the person at the terminal. Ctrl-C and the end of the input give no answer.
 * @param options.isSecret the answer is not shown
 */
export async function ask(
  question: string,
  { terminal, streams }: CommandContext,
  { isSecret = false }: { readonly isSecret?: boolean } = {},
): Promise<string | undefined> {
  terminal.err(question)
  // The terminal echoes through this stream, so a secret stays invisible.
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      if (!isSecret) terminal.err(chunk.toString('utf8'))
      done()
    },
  })
  const lines = createInterface({ input: streams.input, output, terminal: true, historySize: 0 })
  try {
    return await new Promise<string | undefined>((resolve) => {
      lines.once('line', resolve)
      lines.once('SIGINT', () => resolve(undefined))
      lines.once('close', () => resolve(undefined))
    })
  } finally {
    lines.close()
    terminal.err('\n')
  }
}
