import pc from 'picocolors'

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}]/u
// oxlint-disable-next-line no-control-regex -- control characters are what it removes
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/g

/** Where a command writes: answers to `out`, everything else to `err`. */
export interface Terminal {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Columns. */
  readonly width: number
  readonly colours: boolean
  /** Whether a person reads `err`. */
  readonly interactive: boolean
}

/** How to emphasise on a terminal; plain text where it has no colours. */
export type Paint = Pick<ReturnType<typeof pc.createColors>, 'bold' | 'dim' | 'cyan' | 'red' | 'green' | 'yellow'>

/** The emphasis that a terminal can show. */
export function paintFor({ colours }: Pick<Terminal, 'colours'>): Paint {
  return pc.createColors(colours)
}

/** How many columns a text takes: two for each wide character. */
export function columns(text: string): number {
  return [...text].reduce((sum, character) => sum + (WIDE.test(character) ? 2 : 1), 0)
}

/** A text as long as the columns allow. */
export function truncate(text: string, width: number): string {
  if (columns(text) <= width) return text
  let shown = ''
  for (const character of text) {
    if (columns(shown + character) >= width) break
    shown += character
  }
  return `${shown}…`
}

/** Filled up with spaces. */
export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - columns(text)))
}

/** What servers wrote, on one line and without anything that could play with the terminal. */
export function clean(text: string): string {
  return text.replace(/\s+/g, ' ').replace(CONTROL, '').trim()
}

/** 43100 → 43,100. By hand: the first use of `Intl` costs 9 MB and 15 ms. */
export const grouped = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')

/** "1 server", "2 servers" */
export const counted = (count: number, noun: string): string => `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`
