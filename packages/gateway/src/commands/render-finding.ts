import type { FindHit } from './gateway.ts'
import { clean, columns, pad, paintFor, type Terminal, truncate } from './terminal.ts'

const MEASURED_AT = 58

/** A search and what came of it. */
export interface Finding {
  readonly query: string
  readonly hits: readonly FindHit[]
  readonly ms: number
  readonly answeredBy: string
  readonly degraded?: string
  readonly notice?: string
  /** What was searched, where it is worth telling. */
  readonly toolCount?: number
  readonly from?: 'gateway' | 'last-known'
}

/** A query and its hits, one line each: place, tool, relevance, why. */
export function renderFinding(finding: Finding, terminal: Pick<Terminal, 'width' | 'colours'>): string {
  const { query, hits, notice } = finding
  const paint = paintFor(terminal)
  const quote = query.includes('"') ? "'" : '"'
  const title = `  find ${quote}${clean(query)}${quote}`
  const gap = ' '.repeat(Math.max(2, MEASURED_AT - columns(title)))
  const head = `${paint.bold(title)}${gap}${paint.dim(factsOf(finding).join(', '))}`
  const widest = Math.max(0, ...hits.map(({ toolKey }) => columns(clean(toolKey))))
  const lines = hits.map((hit, index) => {
    const start = `  ${String(index + 1).padStart(2)}  `
    const relevance = `   ${hit.relevance.toFixed(2)}   `
    const why = clean(hit.explanation ?? hit.description ?? '')
    const shown = truncate(why, Math.max(10, terminal.width - widest - start.length - relevance.length))
    return `${start}${paint.cyan(pad(clean(hit.toolKey), widest))}${relevance}${paint.dim(shown)}`
  })
  const rest = notice ?? (hits.length === 0 ? 'nothing matches; try other words' : undefined)
  return [head, ...lines, ...(rest === undefined ? [] : [`   ${paint.dim(clean(rest))}`])].join('\n')
}

function factsOf({ ms, answeredBy, degraded, toolCount, from }: Finding): string[] {
  return [
    `${ms.toFixed(ms < 1 ? 2 : 1)} ms`,
    ...(toolCount === undefined ? [answeredBy] : [`${toolCount} tools`]),
    ...(degraded === undefined ? [] : [`not ${clean(degraded)}`]),
    ...(from === 'last-known' ? ['from the last known lists'] : []),
  ]
}
