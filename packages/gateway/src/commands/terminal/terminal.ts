import pc from 'picocolors'

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}]/u
// oxlint-disable-next-line no-control-regex -- control characters are what it removes
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/g

/** The output of a command: answers go to `out`, everything else to `err`. */
export interface Terminal {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Columns. */
  readonly width: number
  readonly colours: boolean
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

/** Text from servers on one line, without control characters. */
export function clean(text: string): string {
  return text.replace(/\s+/g, ' ').replace(CONTROL, '').trim()
}

/** 43100 → 43,100. Without `Intl`, whose first use costs 9 MB and 15 ms. */
export const grouped = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')

/** "1 server", "2 servers" */
export const counted = (count: number, noun: string): string => `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`

const GAP = 2
const NARROWEST_LAST = 16

/** A table with a header. Columns fit their content; the last one takes the remaining width. Cells are cleaned. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  terminal: Pick<Terminal, 'width' | 'colours'>,
): string[] {
  const paint = paintFor(terminal)
  const cells = [head, ...rows].map((row) => row.map(clean))
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
