import { createInterface } from 'node:readline'
import { type Readable, Writable } from 'node:stream'
import { clean, type Terminal } from './terminal.ts'

/** Asks a person at the terminal. */
export interface Prompt {
  /** The answer, trimmed; undefined if the person ended the input (Ctrl-C, Ctrl-D). A hidden answer is not echoed. */
  ask(question: string, options?: { readonly hidden?: boolean }): Promise<string | undefined>
  close(): void
}

/** Opens a prompt on standard input; undefined if no person is there to answer. */
export function openPrompt(terminal: Terminal, input: Readable): Prompt | undefined {
  if (!terminal.interactive || (input as { isTTY?: boolean }).isTTY !== true) return undefined
  // What is typed between two questions is not echoed: it may answer a hidden one.
  let isHidden = true
  const output = new Writable({
    write(chunk, _encoding, done) {
      if (!isHidden) terminal.draw(String(chunk))
      done()
    },
  })
  const lines = createInterface({ input, output, terminal: true, historySize: 0 })
  const typed: string[] = []
  let answer: ((line: string | undefined) => void) | undefined
  let isClosed = false
  lines.on('line', (line) => {
    const waiting = answer
    answer = undefined
    if (waiting === undefined) typed.push(line)
    else waiting(line)
  })
  lines.on('SIGINT', () => lines.close())
  lines.once('close', () => {
    isClosed = true
    answer?.(undefined)
  })
  return {
    async ask(question, { hidden = false } = {}) {
      if (isClosed) return typed.shift()?.trim()
      isHidden = false
      lines.setPrompt(`  ${clean(question)} `)
      lines.prompt()
      isHidden = hidden
      const line = await new Promise<string | undefined>((resolve) => {
        answer = resolve
        const waiting = typed.shift()
        if (waiting !== undefined) resolve(waiting)
      })
      isHidden = true
      if (hidden || line === undefined) terminal.err('\n')
      return line?.trim()
    },
    close: () => lines.close(),
  }
}
