// How many schemas of real tools the console's form fits: `npm run schema-form -- <folder with tools as JSON Lines> [number]`.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { misfitsOf } from './fit.ts'

const [folder, wanted = '200'] = process.argv.slice(2)
if (folder === undefined) throw new Error('Name a folder with *.jsonl files; each line has an id and an inputSchema.')

interface Row {
  readonly id: string
  readonly inputSchema?: { readonly properties?: object }
}

const rows: Row[] = []
for (const name of (await readdir(folder)).filter((each) => each.endsWith('.jsonl')).toSorted()) {
  for (const line of (await readFile(join(folder, name), 'utf8')).split('\n')) {
    if (line.trim() !== '') rows.push(JSON.parse(line) as Row)
  }
}
const orderOf = ({ id }: Row): string => createHash('sha256').update(id).digest('hex')
const chosen = rows
  .filter(({ inputSchema }) => Object.keys(inputSchema?.properties ?? {}).length > 0)
  .toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1))
  .slice(0, Number(wanted))

let fitting = 0
for (const { id, inputSchema } of chosen) {
  const misfits = await misfitsOf(inputSchema)
  if (misfits.length === 0) fitting += 1
  else process.stderr.write(`${id}\n  ${misfits.slice(0, 2).join('\n  ')}\n`)
}
process.stdout.write(
  `${JSON.stringify({ schemas: chosen.length, fitting, share: fitting / Math.max(1, chosen.length) })}\n`,
)
