/** `npm run fit:relevance`: fits the probabilities that relevances are, and says how well they hold on other sets. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ModelledRanking } from '../../src/providers/relevance-model.ts'
import { NONE_BELOW } from '../../src/providers/verdict.ts'
import { areaUnderCurve, calibrationError, errorByChance } from '../certainty.ts'
import { readDataSet } from '../data-set.ts'
import { InputError } from '../input-error.ts'
import { fitLogistic, probability } from './logistic.ts'
import { type Observation, observe } from './observations.ts'

const MODEL_FILE = new URL('../../src/providers/relevance-model.generated.ts', import.meta.url)
const OURS = ['../golden', '../golden/foreign'].map((path) => fileURLToPath(new URL(path, import.meta.url)))
const RANKINGS: readonly ModelledRanking[] = ['both', 'words', 'meaning']

async function main(args: readonly string[]): Promise<number> {
  const folders = args.filter((arg) => arg !== '--write')
  try {
    const sets = [...folders, ...OURS].map(readDataSet)
    const models: [ModelledRanking, readonly number[]][] = []
    for (const ranking of RANKINGS) {
      const observations: Observation[] = []
      for (const set of sets) observations.push(...(await observe(set, ranking)))
      const model = fitLogistic(observations)
      models.push([ranking, model])
      process.stdout.write(report(ranking, observations, model))
    }
    if (args.includes('--write')) writeFileSync(MODEL_FILE, source(models))
    return 0
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    process.stderr.write(`${error.message}\n`)
    return 2
  }
}

/** Each set by the model of all sets, and by one that has not seen it. */
function report(ranking: ModelledRanking, observations: readonly Observation[], model: readonly number[]): string {
  const lines = [
    `${ranking}: calibration error, with the set and left out; by chance alone; AUC where queries have no answer\n`,
  ]
  for (const set of new Set(observations.map((one) => one.set))) {
    const others = fitLogistic(observations.filter((one) => one.set !== set))
    const own = observations.filter((one) => one.set === set && (one.kind === 'present' || one.kind === 'absent'))
    const figures = [model, others].map((weights) => figuresOf(own, weights))
    const byChance = errorByChance(own.map(({ features }) => probability(model, features))).toFixed(3)
    const everyday = observations.filter((one) => one.set === set && one.kind === 'everyday')
    const notNone = everyday.filter(({ features }) => probability(others, features) >= NONE_BELOW).length
    const share = `everyday requests not none: ${((100 * notNone) / everyday.length).toFixed(0)} %`
    lines.push(`  ${set.padEnd(20)} ${figures.join('   left out: ')}   by chance: ${byChance}   ${share}\n`)
  }
  return lines.join('')
}

function figuresOf(observations: readonly Observation[], weights: readonly number[]): string {
  const rated = observations.map((one) => ({ ...one, relevance: probability(weights, one.features) }))
  const relevances = (kind: Observation['kind']) => rated.filter((one) => one.kind === kind).map((one) => one.relevance)
  const absent = relevances('absent')
  const auc = absent.length === 0 ? '' : `, AUC ${areaUnderCurve(relevances('present'), absent).toFixed(3)}`
  return `${calibrationError(rated).toFixed(3)}${auc}`
}

/** Four digits are enough, and the same on every machine. */
function source(models: readonly (readonly [string, readonly number[]])[]): string {
  const lines = models.map(([name, weights]) => {
    const rows = weights.map((weight) => `    ${Number(weight.toFixed(4))},\n`).join('')
    return `  ${name}: [\n${rows}  ],\n`
  })
  return `import type { ModelledRanking } from './relevance-model.ts'

/** The weights of \`featuresOf\`, fitted by \`npm run fit:relevance\`; do not edit. */
export const RELEVANCE_MODEL: Readonly<Record<ModelledRanking, readonly number[]>> = {
${lines.join('')}}
`
}

process.exitCode = await main(process.argv.slice(2))
