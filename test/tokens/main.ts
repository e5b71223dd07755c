// npm run tokens [-- [folder] [--json] [--record]]: what lists and search answers cost a model, in tokens of o200k.

import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { catalogIn, demoCatalog, type Tokens, tokensOf } from './measure.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean' }, record: { type: 'boolean' } },
})
const [folder] = positionals
const catalog = folder === undefined ? demoCatalog() : catalogIn(folder)
const tokens = await tokensOf(catalog)
if (values.record === true && folder === undefined) {
  writeFileSync(fileURLToPath(new URL('./recorded.json', import.meta.url)), `${JSON.stringify(tokens, null, 2)}\n`)
}
process.stdout.write(values.json === true ? `${JSON.stringify(tokens, null, 2)}\n` : textOf(tokens))

function textOf({ lists, answers }: Tokens): string {
  const tools = catalog.reduce((sum, { tools: own = [] }) => sum + own.length, 0)
  return [
    `${catalog.length} servers, ${tools} tools; tokens of o200k`,
    '',
    row(['List', 'Dialect', 'Tools', 'Sent', 'Read', 'Instructions']),
    ...lists.map(({ exposure, dialect, ...rest }) =>
      row([exposure, dialect, rest.tools, rest.sent, rest.read, rest.instructions]),
    ),
    '',
    row(['Search answer', 'Detail', 'Median', 'Most']),
    ...answers.map(({ dialect, detail, median, most }) => row([dialect, detail, median, most])),
    '',
  ].join('\n')
}

function row([first, ...cells]: readonly (string | number)[]): string {
  const shown = cells.map((cell) => (typeof cell === 'number' ? cell.toLocaleString('en-US') : cell))
  return [String(first).padEnd(30), ...shown.map((cell) => cell.padStart(14))].join('')
}
