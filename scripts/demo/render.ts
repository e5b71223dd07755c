import { styleText } from 'node:util'
import type { ToolMatch } from '../../packages/search/src/tool-index.ts'

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}]/u

/** Where text goes: how wide it may be and whether it may have colours. */
export interface Screen {
  readonly width: number
  readonly colours: boolean
}

/** A search and what came of it. */
export interface Finding {
  readonly query: string
  readonly matches: readonly ToolMatch[]
  readonly milliseconds: number
  readonly toolCount: number
}

/** The first lines: what this is and how much there is to search. */
export function renderHead(
  version: string,
  counts: { readonly servers: number; readonly tools: number; readonly tokens: number },
  screen: Screen,
): string {
  const grouped = new Intl.NumberFormat('en')
  const facts = `${counts.servers} · ${grouped.format(counts.tools)} tools · ${grouped.format(counts.tokens)} tokens if all were listed`
  return [
    `  ${paint('bold', 'Tooldex', screen)} ${version}`,
    '',
    `  ${paint('dim', 'servers', screen)}    ${facts}`,
    `  ${paint('dim', 'strategy', screen)}   bm25, over a sample catalog; the gateway is still to come`,
    '',
  ].join('\n')
}

/** A query and its hits, one line each: place, tool, relevance, why. */
export function renderFinding({ query, matches, milliseconds, toolCount }: Finding, screen: Screen): string {
  const quote = query.includes('"') ? "'" : '"'
  const title = `  find ${quote}${query}${quote}`
  const measured = `${milliseconds.toFixed(milliseconds < 1 ? 2 : 1)} ms, ${toolCount} tools`
  const head = `${paint('bold', title, screen)}${' '.repeat(Math.max(2, 58 - columns(title)))}${paint('dim', measured, screen)}`
  if (matches.length === 0) return `${head}\n   ${paint('dim', 'nothing matches; try other words', screen)}\n`
  const widest = Math.max(...matches.map(({ id }) => columns(id)))
  const lines = matches.map((match, index) => renderMatch(match, index + 1, widest, screen))
  return `${head}\n${lines.join('\n')}\n`
}

function renderMatch(match: ToolMatch, place: number, widest: number, screen: Screen): string {
  const id = match.id + ' '.repeat(widest - columns(match.id))
  const [start, relevance] = [`  ${String(place).padStart(2)}  `, `   ${match.relevance.toFixed(2)}   `]
  const why = match.explanation?.text ?? match.shortDescription ?? ''
  const shown = truncate(why, screen.width - widest - start.length - relevance.length)
  return `${start}${paint('cyan', id, screen)}${relevance}${paint('dim', shown, screen)}`
}

/** How many columns a terminal gives to a text: two for each wide character. */
export function columns(text: string): number {
  return [...text].reduce((sum, character) => sum + (WIDE.test(character) ? 2 : 1), 0)
}

function truncate(text: string, width: number): string {
  if (columns(text) <= width) return text
  let shown = ''
  for (const character of text) {
    if (columns(shown + character) >= width) break
    shown += character
  }
  return `${shown}…`
}

function paint(style: 'bold' | 'dim' | 'cyan', text: string, { colours }: Screen): string {
  return colours ? styleText(style, text, { validateStream: false }) : text
}
