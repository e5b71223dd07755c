/** `npm run faults`: causes one fault after the other, and prints the outcome of each. */
import { parseArgs } from 'node:util'
import { FAULTS } from './faults.ts'
import { type FaultOutcome, outcomeOf } from './fault.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false }, full: { type: 'boolean', default: false } },
})
const wanted = FAULTS.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
const outcomes: Record<string, FaultOutcome> = {}
for (const fault of wanted) {
  const outcome = await outcomeOf(fault, values.full ? 'full' : 'usual', 2)
  outcomes[fault.name] = outcome
  const line = `${outcome.ok ? 'ok    ' : 'BROKEN'} ${fault.name.padEnd(24)} ${outcome.detail} [${outcome.ms} ms]\n`
  ;(values.json ? process.stderr : process.stdout).write(line)
}
if (values.json) process.stdout.write(`${JSON.stringify(outcomes, null, 2)}\n`)
const broken = Object.values(outcomes).filter(({ ok }) => !ok).length
if (!values.json) process.stdout.write(`${wanted.length - broken} of ${wanted.length} promises kept\n`)
process.exit(broken === 0 ? 0 : 1)
