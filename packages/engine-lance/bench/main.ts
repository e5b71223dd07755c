/**
 * `npm run bench:engine -- [--json] [--sizes 23000,100000] [--engines memory,lance] [--kills 100]
 * [--keep folder [--prepare]] [folder…]`: engines beside the ordinary index. Folders with queries.jsonl are judged sets,
 * others bring tools; without any, tools are generated. `--keep` keeps and reuses what takes longest, the index's answers and
 * the written engine; `--prepare` makes just these.
 */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { killWriter, problemsAfterKill } from '../src/kill.case.ts'
import { measureEngine, type EngineFigures } from './figures.ts'
import type { Answers, Filled, Part, Questions, Truth } from './parts.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    sizes: { type: 'string', default: '23000' },
    engines: { type: 'string', default: 'memory,lance' },
    kills: { type: 'string', default: '0' },
    keep: { type: 'string' },
    prepare: { type: 'boolean', default: false },
  },
})
/** Beyond this the ordinary index is not asked: it takes minutes and gigabytes. */
const MOST_INDEXED = 1_000_000
const WORKER = fileURLToPath(new URL('./worker.ts', import.meta.url))
const progress = (line: string): void => void process.stderr.write(`${line}\n`)

async function run<Result>(part: Part): Promise<Result> {
  progress(`${part.size} tools: ${part.part}`)
  const program = ['--conditions=tooldex-source', '--max-old-space-size=12000', WORKER, JSON.stringify(part)]
  const { stdout } = await promisify(execFile)(process.execPath, program, { maxBuffer: 1e9 })
  return JSON.parse(stdout) as Result
}

/** What a part found; if it was kept, what it found before. */
async function runOnce<Result>(part: Part, folder: string): Promise<Result> {
  const file = join(folder, `${part.part}.json`)
  if (!existsSync(file)) writeFileSync(file, JSON.stringify(await run(part)))
  return JSON.parse(readFileSync(file, 'utf8')) as Result
}

async function measureSize(size: number, engines: readonly string[]): Promise<ReadonlyMap<string, EngineFigures>> {
  const folder = values.keep === undefined ? mkdtempSync(join(tmpdir(), 'tooldex-bench-engine-')) : keptFolder(size)
  const common = { folders: positionals, size, at: join(folder, 'lance'), questions: join(folder, 'questions.json') }
  const figures = new Map<string, EngineFigures>()
  try {
    const questions = await runOnce<Questions>({ ...common, part: 'questions' }, folder)
    const truth = size > MOST_INDEXED ? undefined : await runOnce<Truth>({ ...common, part: 'index' }, folder)
    for (const engine of engines) {
      const filled = engine === 'lance' ? await runOnce<Filled>({ ...common, part: 'build' }, folder) : undefined
      if (values.prepare) continue
      const answers =
        filled === undefined
          ? await run<Filled & Answers>({ ...common, part: 'memory' })
          : { ...filled, ...(await run<Answers>({ ...common, part: 'read' })) }
      figures.set(engine, measureEngine(questions.queries, answers, truth))
    }
    return figures
  } finally {
    if (values.keep === undefined) rmSync(folder, { recursive: true, force: true })
  }
}

function keptFolder(size: number): string {
  const folder = join(values.keep ?? '', String(size))
  mkdirSync(folder, { recursive: true })
  return folder
}

/** Kills a writer so many times at random moments; ends the program where anything was lost or is there twice. */
async function killWriters(times: number): Promise<void> {
  const at = mkdtempSync(join(tmpdir(), 'tooldex-bench-kill-'))
  let promised = 0
  for (let nth = 1; nth <= times; nth++) {
    promised = Math.max(promised, await killWriter(at, Math.random() * 400))
    const problems = await problemsAfterKill(at, promised)
    if (problems.length > 0) throw new Error(problems.join('; '))
    progress(`killed ${nth} times: revision ${promised}, nothing lost, nothing twice`)
  }
  rmSync(at, { recursive: true, force: true })
}

await killWriters(Number(values.kills))
const engines = values.engines.split(',')
const results: Record<string, Record<string, EngineFigures>> = {}
for (const size of values.sizes
  .split(',')
  .map(Number)
  .filter((count) => count > 0)) {
  for (const [engine, figures] of await measureSize(size, engines)) {
    results[engine] = { ...results[engine], [size]: figures }
  }
}
if (values.json) process.stdout.write(`${JSON.stringify(results, null, 2)}\n`)
else for (const [engine, sizes] of Object.entries(results)) process.stdout.write(`${engine}\n${table(sizes)}\n`)

function table(sizes: Readonly<Record<string, EngineFigures>>): string {
  return Object.entries(sizes)
    .map(
      ([size, figures]) =>
        `  ${size} tools\n${Object.entries(figures)
          .map(([name, value]) => `    ${name} ${value}\n`)
          .join('')}`,
    )
    .join('')
}
