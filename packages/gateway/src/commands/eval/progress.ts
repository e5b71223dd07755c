import type { CommandContext } from '../gateway/context.ts'
import { clean } from '../terminal/terminal.ts'

const FIRST_MS = 1_000
const NEXT_MS = { person: 100, file: 5_000 }

/** Prints progress after the first second: in place on a terminal, else every few seconds. */
export class Progress {
  readonly #context: Pick<CommandContext, 'terminal' | 'now'>
  #nextAt: number
  #isShown = false

  constructor(context: Pick<CommandContext, 'terminal' | 'now'>) {
    this.#context = context
    this.#nextAt = context.now() + FIRST_MS
  }

  show(text: string): void {
    const { terminal, now } = this.#context
    if (now() < this.#nextAt) return
    this.#nextAt = now() + (terminal.interactive ? NEXT_MS.person : NEXT_MS.file)
    if (terminal.interactive) terminal.draw(`\r\u001b[K  ${clean(text)}`)
    else terminal.err(`  ${text}\n`)
    this.#isShown = true
  }

  /** Clears the progress line of a terminal. */
  end(): void {
    if (this.#isShown && this.#context.terminal.interactive) this.#context.terminal.draw('\r\u001b[K')
  }
}
