import { clean, columns, pad, paintFor, type Terminal, truncate } from './terminal.ts'

const GAP = 2
const NARROWEST_LAST = 16

/** Rows under a head, each column as wide as it must be; the last one takes what is left. Foreign text is cleaned. */
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

/** Facts, one line each: what it is called, and what it is. */
export function facts(
  entries: readonly (readonly [label: string, text: string | undefined])[],
  terminal: Pick<Terminal, 'colours'>,
): string[] {
  const paint = paintFor(terminal)
  const known = entries.filter((entry): entry is readonly [string, string] => entry[1] !== undefined)
  const widest = Math.max(0, ...known.map(([label]) => label.length))
  return known.map(([label, text]) => `  ${paint.dim(label.padEnd(widest))}  ${clean(text)}`)
}

/** A moment for people: to the minute, in the time of this machine's clock in UTC. */
export function moment(at: number | undefined): string {
  return at === undefined ? '-' : new Date(at).toISOString().replace('T', ' ').slice(0, 16)
}
