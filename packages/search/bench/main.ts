import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { resolve } from 'node:path'
import { catalogLines } from './catalog.ts'
import type { EngineName } from './engines/engine.ts'
import { isOurs, OUR_ENGINE } from './engines/engine.ts'
import type { BenchOptions } from './options.ts'
import { OptionError, parseOptions, USAGE } from './options.ts'
import type { Result } from './report.ts'
import { toChart, toJson, toTable } from './report.ts'
import { runWorker } from './run-worker.ts'

const TIME_LIMIT_MS = 15 * 60_000

/**
 * The bench command. Answers the exit code: 1 when one of ours failed (a peer's failure is a result), 2 for bad
 * options.
 */
async function main(args: readonly string[]): Promise<number> {
  const options = readOptions(args)
  if (options === undefined) return 2
  if (options.help) {
    process.stdout.write(USAGE)
    return 0
  }
  const results: Result[] = []
  if (!options.json) process.stdout.write(`${headline(options)}\n`)
  for (const size of options.sizes) {
    for (const engine of options.engines) results.push(await measureOne(engine, size, options))
    if (!options.json) process.stdout.write(`\n${toTable(size, results)}\n`)
  }
  if (options.chart !== undefined) writeFileSync(options.chart, toChart(options.sizes.at(-1) ?? 0, results))
  process.stdout.write(options.json ? `${JSON.stringify(toJson(results), null, 2)}\n` : LEGEND)
  return results.some(({ engine, outcome }) => isOurs(engine) && 'failed' in outcome) ? 1 : 0
}

function readOptions(args: readonly string[]): BenchOptions | undefined {
  try {
    const options = parseOptions(args)
    if (options.tools !== undefined) catalogLines(options.tools)
    return options
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    process.stderr.write(`${message}\n${error instanceof OptionError ? `\n${USAGE}` : ''}`)
    return undefined
  }
}

async function measureOne(engine: EngineName, size: number, options: BenchOptions): Promise<Result> {
  const { queries, tools } = options
  const job = { engine, size, queries, ...(tools === undefined ? {} : { tools: resolve(tools) }) }
  const start = performance.now()
  const say = (text: string) => process.stderr.write(`[${engine} · ${size} tools] ${text}\n`)
  const outcome = await runWorker(job, { timeLimitMs: TIME_LIMIT_MS, onStage: (stage) => say(`${stage} …`) })
  say(
    'failed' in outcome ? `failed: ${outcome.failed}` : `done in ${((performance.now() - start) / 1000).toFixed(1)} s`,
  )
  return { engine, size, outcome }
}

function headline({ tools, queries }: BenchOptions): string {
  const machine = `Node ${process.versions.node}, ${cpus()[0]?.model ?? 'unknown processor'}`
  return `${tools === undefined ? 'Generated tools' : `Tools of ${tools}`}, ${queries} queries, ten results each. ${machine}.`
}

const LEGEND = `
N× is a figure divided by that of ${OUR_ENGINE}. tools MB: memory before indexing. update: one tool changed, with
what the next search does late. found: queries whose own tool is among the ten results. See the README of bench.
`

process.exitCode = await main(process.argv.slice(2))
