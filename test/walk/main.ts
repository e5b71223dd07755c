/**
 * `npm run walk`: for each walk of ARCHITECTURE.md, the source files that one warm request runs through, and how many of their
 * functions it calls. `--files` lists the files, `--json` prints `{ <walk>: { files, functions } }`.
 *
 * V8 counts the calls in the gateway's process (count-calls.ts). Only files under packages/<name>/src count; dependencies, the client
 * and the servers do not. A function that does not run in every repetition, such as a timer's, does not count either. Two runs may differ by a few functions.
 */
import { parseArgs } from 'node:util'
import { walkAll, type WalkedFiles } from './walks.ts'

const { values } = parseArgs({
  options: { json: { type: 'boolean', default: false }, files: { type: 'boolean', default: false } },
})
const walked = await walkAll()
if (values.json) {
  process.stdout.write(
    `${JSON.stringify(Object.fromEntries([...walked].map(([walk, files]) => [walk, totals(files)])))}\n`,
  )
} else {
  for (const [walk, files] of walked) process.stdout.write(`${report(walk, files).join('\n')}\n`)
}
process.exit(0)

function totals(files: WalkedFiles): { files: number; functions: number } {
  return { files: files.size, functions: [...files.values()].flat().length }
}

function report(walk: string, walkedFiles: WalkedFiles): string[] {
  const { files, functions } = totals(walkedFiles)
  const line = `${walk.padEnd(18)} ${String(files).padStart(3)} files ${String(functions).padStart(4)} functions`
  if (!values.files) return [line]
  return [line, ...[...walkedFiles].map(([file, names]) => `  ${String(names.length).padStart(3)} ${file}`)]
}
