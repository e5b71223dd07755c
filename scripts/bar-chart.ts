/** One bar of a chart. */
interface Bar {
  readonly label: string
  readonly value: number
  /** The value as it is written beside the bar. */
  readonly text: string
  readonly isOurs: boolean
}

/** Bars that share a scale. */
interface BarPanel {
  readonly title: string
  readonly bars: readonly Bar[]
}

const WIDTH = 720
const LABEL = 165
const VALUE = 70
const ROW = 24
const HEAD = 34

/**
 * A chart as SVG: horizontal bars, panels one below the other, each from zero to its own largest value. It needs no fonts and
 * no scripts, and follows the reader's light or dark theme.
 */
export function barChart(title: string, panels: readonly BarPanel[], note: string): string {
  const parts: string[] = []
  let y = 30
  for (const { title: heading, bars } of panels) {
    parts.push(text({ x: 12, y: y + 22, is: 'heading' }, heading))
    y += HEAD
    const largest = Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE)
    for (const { label, value, text: written, isOurs } of bars) {
      const length = Math.max(1, Math.round((value / largest) * (WIDTH - LABEL - VALUE - 24)))
      const kind = isOurs ? 'ours' : 'peer'
      parts.push(
        text({ x: LABEL, y: y + 16, is: kind, end: true }, label),
        `<rect class="bar ${kind}" x="${LABEL + 8}" y="${y + 4}" width="${length}" height="${ROW - 8}" rx="3"/>`,
        text({ x: LABEL + 14 + length, y: y + 16, is: kind }, written),
      )
      y += ROW
    }
    y += 8
  }
  const height = y + 26
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escaped(title)}">`,
    `<style>${STYLE}</style>`,
    `<rect class="ground" width="${WIDTH}" height="${height}" rx="10"/>`,
    text({ x: 12, y: 26, is: 'title' }, title),
    ...parts,
    text({ x: 12, y: height - 12, is: 'note' }, note),
    '</svg>\n',
  ].join('\n')
}

const STYLE = [
  'text{font:13px system-ui,sans-serif;fill:#57534e}',
  '.title{font-size:15px;font-weight:600;fill:#1c1917}.heading{font-weight:600;fill:#1c1917}.note{font-size:11px}',
  'text.ours{font-weight:600;fill:#1c1917}.bar.ours{fill:#0f766e}.bar.peer{fill:#a8a29e}.ground{fill:#fff}',
  '@media (prefers-color-scheme:dark){text{fill:#a8a29e}.title,.heading,text.ours{fill:#f5f5f4}',
  '.bar.ours{fill:#2dd4bf}.bar.peer{fill:#57534e}.ground{fill:#1c1917}}',
].join('')

interface Place {
  readonly x: number
  readonly y: number
  readonly is: string
  readonly end?: boolean
}

function text({ x, y, is, end = false }: Place, words: string): string {
  return `<text class="${is}" x="${x}" y="${y}"${end ? ' text-anchor="end"' : ''}>${escaped(words)}</text>`
}

function escaped(words: string): string {
  return words.replace(/[&<>"]/g, (sign) => `&#${sign.codePointAt(0)};`)
}
