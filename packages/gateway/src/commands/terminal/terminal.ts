import { cleanText, escapeInvisible } from '@tooldex/http-kit/clean-text'
import pc from 'picocolors'

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}]/u

/** The output of a command: answers go to `out`, everything else to `err`. */
export interface Terminal {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Writes to `err` what moves the cursor, such as a prompt. Nothing from outside. */
  readonly draw: (text: string) => void
  /** Columns. */
  readonly width: number
  readonly colours: boolean
  /** Whether `out` is a terminal, rather than a file or a pipe. */
  readonly isScreen: boolean
  /** Whether a person reads `err`. */
  readonly interactive: boolean
}

/** Text styles; they change nothing on a terminal without colours. */
export type Paint = Pick<ReturnType<typeof pc.createColors>, 'bold' | 'dim' | 'cyan' | 'red' | 'green' | 'yellow'>

/** The text styles of a terminal. */
export function paintFor({ colours }: Pick<Terminal, 'colours'>): Paint {
  return pc.createColors(colours)
}

/** The number of columns of a text; wide characters count twice. */
export function columns(text: string): number {
  return [...text].reduce((sum, character) => sum + (WIDE.test(character) ? 2 : 1), 0)
}

/** Cuts a text to a number of columns. */
export function truncate(text: string, width: number): string {
  if (columns(text) <= width) return text
  let shown = ''
  for (const character of text) {
    if (columns(shown + character) >= width) break
    shown += character
  }
  return `${shown}…`
}

/** Fills a text up with spaces. */
export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - columns(text)))
}

/** Text from servers on one line, without terminal sequences and invisible characters. */
export function clean(text: string): string {
  return cleanText(text)
}

// oxlint-disable-next-line no-control-regex -- the colours of Paint
const OUR_COLOURS = /(\u001b\[(?:1|2|22|31|32|33|36|39)m)/

/**
 * What is written to a terminal: whatever a command forgot to clean is shown as `\\u001b` and obeyed by no terminal. Our
 * colours pass.
 */
export function safeForTerminal(text: string, { colours }: Pick<Terminal, 'colours'>): string {
  if (!colours) return escapeInvisible(text)
  return text
    .split(OUR_COLOURS)
    .map((part, at) => (at % 2 === 1 ? part : escapeInvisible(part)))
    .join('')
}

/** 43100 → 43,100. Without `Intl`, whose first use costs 9 MB and 15 ms. */
export const grouped = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')

/** "1 server", "2 servers" */
export const counted = (count: number, noun: string): string => `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`

const GAP = 2
const NARROWEST_LAST = 16
/** Columns of a name at most; longer ones would push everything else off the line. */
export const LONGEST_NAME = 64

/** A table with a header. Columns fit their content, within limits; the last one takes the remaining width. Cells are cleaned. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  terminal: Pick<Terminal, 'width' | 'colours'>,
): string[] {
  const paint = paintFor(terminal)
  const cells = [head, ...rows].map((row) =>
    row.map((text, column) => (column === head.length - 1 ? clean(text) : truncate(clean(text), LONGEST_NAME))),
  )
  const widths = head.map((_, column) => Math.max(...cells.map((row) => columns(row[column] ?? ''))))
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + GAP, GAP)
  const last = Math.max(NARROWEST_LAST, terminal.width - before)
  return cells.map((row, index) => {
    const texts = row.map((text, column) =>
      column === head.length - 1 ? truncate(text, last) : pad(text, (widths[column] ?? 0) + GAP),
    )
    const line = `  ${texts.join('')}`.trimEnd()
    return index === 0 ? paint.dim(line) : line
  })
}

/** Labelled facts, one per line. Entries without a text are left out. */
export function facts(
  entries: readonly (readonly [label: string, text: string | undefined])[],
  terminal: Pick<Terminal, 'colours'>,
): string[] {
  const paint = paintFor(terminal)
  const known = entries.filter((entry): entry is readonly [string, string] => entry[1] !== undefined)
  const widest = Math.max(0, ...known.map(([label]) => label.length))
  return known.map(([label, text]) => `  ${paint.dim(label.padEnd(widest))}  ${clean(text)}`)
}

/** A time to the minute, in UTC. */
export function moment(at: number | undefined): string {
  return at === undefined ? '-' : new Date(at).toISOString().replace('T', ' ').slice(0, 16)
}
