/** `npm run eval`: reads data sets, asks every ranker, prints the figures. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type DataSet, mayBeDataSet, readDataSet } from './data-set.ts'
import { evaluate, type SetOutcomes, summarise } from './evaluate.ts'
import { InputError } from './input-error.ts'
import { evaluateLearning, type LearnOptions } from './learn.ts'
import { HELP, type Options, parseOptions } from './options.ts'
import { Progress } from './progress.ts'
import { LEARN_PARTS, RANKERS } from './rankers/index.ts'
import type { Ranker } from './rankers/ranker.ts'
import { describeDrift, fallen, readRatchet, withFloors, writeRatchet } from './ratchet.ts'
import { chartOf, type Run, renderRun, toJson } from './report.ts'

const GOLDEN = fileURLToPath(new URL('./golden', import.meta.url))

/** Runs the command; returns its exit code. */
async function main(args: readonly string[]): Promise<number> {
  try {
    const options = parseOptions(args)
    if (options.help) process.stdout.write(HELP)
    else if (options.updateRatchet) await updateRatchet(options)
    else await report(options)
    return 0
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    process.stderr.write(`${error.message}\n`)
    return 2
  }
}

async function report(options: Options): Promise<void> {
  const rankers = rankersNamed(options.rankers, RANKERS)
  const sets = readSets(options.folders.length === 0 ? [GOLDEN] : options.folders)
  const run = options.learn === undefined ? await evaluateAll(sets, rankers) : await learnAll(sets, options.learn)
  if (options.chart !== undefined) {
    writeFileSync(options.chart, chartOf(run, new Set(rankers.filter(({ ours }) => ours).map(({ name }) => name))))
  }
  process.stdout.write(options.json ? `${JSON.stringify(toJson(run), null, 2)}\n` : renderRun(run, options))
}

async function updateRatchet(options: Options): Promise<void> {
  const rankers = rankersNamed(options.rankers, RANKERS).filter((ranker) => ranker.ours)
  const run = await evaluateAll(readSets([GOLDEN]), rankers)
  const outcomes = [...run.values()].flatMap((byRanker) => [...byRanker])
  const now = new Map(outcomes.map(([name, all]) => [name, summarise(all.outcomes)]))
  const before = readRatchet()
  const after = withFloors(before, now)
  const lowered = fallen(before, after, 0)
  if (lowered.length > 0 && !options.force) {
    throw new InputError(
      `The ratchet is unchanged, because these floors would fall:\n${lowered.map(describeDrift).join('\n')}\n` +
        'Repair the ranking, or pass --force and give the reason in the commit.',
    )
  }
  writeRatchet(after)
  process.stdout.write(`ratchet.json now has the floors of ${[...after.keys()].join(', ')}.\n`)
}

function readSets(folders: readonly string[]): readonly DataSet[] {
  const sets = new Map<string, DataSet>()
  for (const folder of withQueries(folders)) {
    const set = readDataSet(folder)
    if (sets.has(set.name))
      throw new InputError(`${folder}: a set named ${set.name} was given before. Rename one folder.`)
    sets.set(set.name, set)
  }
  return [...sets.values()]
}

/** The folders that hold queries; what else a pattern such as `bench/*` names is left out, with a line. */
function withQueries(folders: readonly string[]): readonly string[] {
  const kept = folders.filter(mayBeDataSet)
  if (kept.length === 0) return folders
  for (const folder of folders) {
    if (!kept.includes(folder)) process.stderr.write(`${folder}: skipped, it has no queries.jsonl\n`)
  }
  return kept
}

function rankersNamed(names: readonly string[] | undefined, rankers: readonly Ranker[]): readonly Ranker[] {
  const known = rankers.map((ranker) => ranker.name)
  const unknown = names?.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new InputError(`No ranker is named "${unknown}". There are ${known.join(', ')}.`)
  return rankers.filter((ranker) => names === undefined || names.includes(ranker.name))
}

async function learnAll(sets: readonly DataSet[], options: LearnOptions): Promise<Run> {
  const progress = new Progress(process.stderr)
  const run = new Map<string, ReadonlyMap<string, SetOutcomes>>()
  for (const [nth, set] of sets.entries()) {
    progress.step(`learning from ${set.name}`, nth, sets.length)
    run.set(set.name, await evaluateLearning(set, options, LEARN_PARTS()))
  }
  progress.end()
  return run
}

async function evaluateAll(sets: readonly DataSet[], rankers: readonly Ranker[]): Promise<Run> {
  const progress = new Progress(process.stderr)
  const run = new Map<string, Map<string, SetOutcomes>>()
  for (const set of sets) {
    const outcomes = new Map<string, SetOutcomes>()
    run.set(set.name, outcomes)
    for (const ranker of rankers) {
      const onStep = (done: number) => progress.step(`${set.name} · ${ranker.name}`, done, set.queries.length)
      outcomes.set(ranker.name, await evaluate(set, ranker, onStep))
    }
  }
  progress.end()
  return run
}

process.exitCode = await main(process.argv.slice(2))
