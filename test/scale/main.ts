/** `npm run scale`: measures what many tenants and many replicas cost. Names choose rows; without any, all are measured. `--soak-seconds` shortens the soak. */
import { parseArgs } from 'node:util'
import { type Row, WHOLE } from './row.ts'
import { SCENARIOS } from './rows.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    'soak-seconds': { type: 'string', default: String(WHOLE.soakSeconds) },
  },
})
const known = SCENARIOS.flatMap(({ rows }) => rows)
const unknown = positionals.filter((name) => !known.includes(name))
if (unknown.length > 0) {
  process.stderr.write(`There is no row ${unknown.join(', ')}; the rows are ${known.join(', ')}\n`)
  process.exit(2)
}
const wanted = new Set(positionals.length === 0 ? known : positionals)
const measured: Record<string, Row> = {}
for (const { rows, run } of SCENARIOS) {
  if (!rows.some((name) => wanted.has(name))) continue
  for await (const [name, row] of run(wanted, { ...WHOLE, soakSeconds: Number(values['soak-seconds']) })) {
    if (!wanted.has(name)) continue
    measured[name] = row
    const line = `${row.ok ? 'ok    ' : 'MISSED'} ${name.padEnd(32)} ${row.figure} (limit ${row.limit}) ${row.detail}\n`
    ;(values.json ? process.stderr : process.stdout).write(line)
  }
}
if (values.json) process.stdout.write(`${JSON.stringify(measured, null, 2)}\n`)
const kept = Object.values(measured).filter(({ ok }) => ok).length
if (!values.json) process.stdout.write(`${kept} of ${wanted.size} promises kept\n`)
process.exit(kept === wanted.size ? 0 : 1)
