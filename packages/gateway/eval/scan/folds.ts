import { THRESHOLDS, type Thresholds } from '../../src/trust/scanner/evidence.ts'
import type { ScanRecord } from './records.ts'
import { type Scores, scoresOf, severityIn, type Weighed } from './score.ts'

/** The false positives that thresholds may cost on the records they are chosen on. */
const MOST_FALSE_POSITIVES = { any: 0.008, block: 0.001 } as const
const STEPS = [1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 6, 7, 8] as const
/** What a text is held or blocked for without any weight has no threshold to choose. */
const HONEST_PARTS = 2

/** Figures for attacks that took no part in any choice. */
export interface FoldScores {
  readonly recall: number | null
  readonly falsePositive: number | null
  readonly block: Scores['block']
  readonly concealed: Scores['concealed']
  readonly left: Readonly<
    Record<string, { readonly count: number; readonly recall: number | null; readonly blockRecall: number | null }>
  >
}

/**
 * Leaves the attacks of one family (or source) out at a time. Of the scanner, only this is kept: signals that occur in attacks of
 * other families, and thresholds that are chosen on those attacks and on one half of the honest texts. What was left out and
 * the other half of the honest texts are then measured. The signals themselves were written by people who had read the sample.
 */
export function leaveOneOut(weighed: readonly Weighed[], nameOf: (record: ScanRecord) => string): FoldScores {
  const attacks = weighed.filter(({ record }) => record.label === 'attack')
  const honest = weighed.filter(({ record }) => record.label === 'benign')
  const names = [...new Set(attacks.map(({ record }) => nameOf(record)))].toSorted()
  const judged: { each: Weighed; severity: ReturnType<typeof severityIn> }[] = []
  const left: Record<string, { count: number; recall: number | null; blockRecall: number | null }> = {}
  for (const name of names) {
    const others = attacks.filter(({ record }) => nameOf(record) !== name)
    const known = new Set(others.flatMap(({ evidence }) => evidence.map(({ signal }) => signal)))
    const reduced = (each: Weighed): Weighed => ({
      ...each,
      evidence: each.evidence.filter(({ signal }) => known.has(signal)),
    })
    const training = honest.filter((_, index) => index % HONEST_PARTS === 0).map(reduced)
    const thresholds = chosen(others.map(reduced), training)
    const tested = attacks.filter(({ record }) => nameOf(record) === name).map(reduced)
    const severities = tested.map((each) => ({ each, severity: severityIn(each, thresholds) }))
    judged.push(...severities)
    // Honest texts are measured in every fold; the share of each fold is equal.
    for (const [index, each] of honest.entries()) {
      if (index % HONEST_PARTS !== 0 && index % names.length === names.indexOf(name)) {
        const other = reduced(each)
        judged.push({ each: other, severity: severityIn(other, thresholds) })
      }
    }
    const { recall, block } = scoresOf(tested, (each) => severityIn(each, thresholds))
    left[name] = { count: tested.length, recall, blockRecall: block.recall }
  }
  const severities = new Map(judged.map(({ each, severity }) => [each, severity]))
  const { recall, falsePositive, block, concealed } = scoresOf(
    judged.map(({ each }) => each),
    (each) => severities.get(each),
  )
  return { recall, falsePositive, block, concealed, left }
}

/** The thresholds with the best recall at bearable false positives; among equals, the lowest. */
function chosen(attacks: readonly Weighed[], honest: readonly Weighed[]): Thresholds {
  let best: Thresholds = THRESHOLDS
  let bestRecall = -1
  for (const hold of STEPS) {
    for (const bait of [1.5, 2, 2.5, 3, 3.5]) {
      const thresholds = { hold, bait, block: Number.POSITIVE_INFINITY }
      const of = (each: Weighed) => severityIn(each, thresholds)
      if ((scoresOf(honest, of).falsePositive ?? 0) > MOST_FALSE_POSITIVES.any) continue
      const recall = scoresOf(attacks, of).recall ?? 0
      if (recall > bestRecall) [best, bestRecall] = [thresholds, recall]
    }
  }
  const block = STEPS.find(
    (step) =>
      step >= best.hold &&
      (scoresOf(honest, (each) => severityIn(each, { ...best, block: step })).block.falsePositive ?? 0) <=
        MOST_FALSE_POSITIVES.block,
  )
  return { ...best, block: block ?? THRESHOLDS.block }
}
