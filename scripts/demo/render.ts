import { styleText } from 'node:util'
import type { ToolMatch } from '../../packages/search/src/tool-index.ts'

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
  const title = `  find ${JSON.stringify(query)}`
  const measured = `${milliseconds.toFixed(milliseconds < 1 ? 2 : 1)} ms, ${toolCount} tools`
  const head = `${paint('bold', title, screen)}${' '.repeat(Math.max(2, 58 - title.length))}${paint('dim', measured, screen)}`
  if (matches.length === 0) return `${head}\n   ${paint('dim', 'nothing matches; try other words', screen)}\n`
  const widest = Math.max(...matches.map(({ id }) => id.length))
  const lines = matches.map((match, index) => renderMatch(match, index + 1, widest, screen))
  return `${head}\n${lines.join('\n')}\n`
}

function renderMatch(match: ToolMatch, place: number, widest: number, screen: Screen): string {
  const start = `  ${String(place).padStart(2)}  ${match.id.padEnd(widest)}   ${match.relevance.toFixed(2)}   `
  const why = match.explanation?.text ?? match.shortDescription ?? ''
  const shown = truncate(why, screen.width - start.length)
  return `  ${String(place).padStart(2)}  ${paint('cyan', match.id.padEnd(widest), screen)}   ${match.relevance.toFixed(2)}   ${paint('dim', shown, screen)}`
}

function truncate(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`
}

function paint(style: 'bold' | 'dim' | 'cyan', text: string, { colours }: Screen): string {
  return colours ? styleText(style, text, { validateStream: false }) : text
}
