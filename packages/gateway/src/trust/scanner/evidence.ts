import { type Finding, isAtLeast, RULES, type RuleName, type Severity } from './finding.ts'
import { visible } from './hidden.ts'
import type { FieldText } from './texts.ts'

/** A piece of evidence: a finding whose severity depends on all the others. */
export interface Evidence {
  readonly rule: RuleName
  /** The name of the signal: the same one counts once. */
  readonly signal: string
  readonly weight: number
  readonly at: FieldText
  readonly offset: number
  readonly length: number
  /** The least severity, whatever the sum is. */
  readonly least?: Severity
  readonly detail?: string
}

/** Sums of weights from which a text is held or blocked; praise is summed apart and never more than a remark. */
export interface Thresholds {
  readonly hold: number
  readonly block: number
  readonly bait: number
}

/** Chosen on real tools and published attacks; `npm run scan:eval` measures what they do. */
export const THRESHOLDS: Thresholds = { hold: 1.9, block: 3.6, bait: 2 }

/** A changed text is held on less: the approved one had no such evidence. */
export const CHANGE_THRESHOLDS: Thresholds = { ...THRESHOLDS, hold: 1.5 }

/** The severities that the sums of all evidence lead to. */
function severitiesOf(evidence: readonly Pick<Evidence, 'rule' | 'signal' | 'weight'>[], thresholds: Thresholds) {
  const weights = new Map<string, { weight: number; isBait: boolean }>()
  for (const { signal, weight, rule } of evidence) {
    const known = weights.get(signal)?.weight ?? 0
    if (weight >= known) weights.set(signal, { weight, isBait: rule === 'search-bait' })
  }
  let sum = 0
  let bait = 0
  for (const { weight, isBait } of weights.values()) {
    if (isBait) bait += weight
    else sum += weight
  }
  // Sums of decimal fractions are not exact; the order of the evidence must not decide.
  const total = Math.round(sum * 100) / 100
  const ofSum: Severity | undefined =
    total >= thresholds.block ? 'block' : total >= thresholds.hold ? 'hold' : undefined
  return { ofSum, ofBait: bait >= thresholds.bait ? ('remark' as const) : undefined }
}

/** The severity that evidence amounts to, without its findings. */
export function severityOf(evidence: readonly Evidence[], thresholds = THRESHOLDS): Severity | undefined {
  const { ofSum, ofBait } = severitiesOf(evidence, thresholds)
  return evidence.reduce<Severity | undefined>(
    (worst, { least, rule }) => worse(worse(worst, least), rule === 'search-bait' ? ofBait : ofSum),
    undefined,
  )
}

/** Turns evidence into findings: one for each rule and field. */
export function judge(evidence: readonly Evidence[], thresholds = THRESHOLDS): Finding[] {
  const { ofSum, ofBait } = severitiesOf(evidence, thresholds)
  const best = new Map<string, { evidence: Evidence; severity: Severity }>()
  for (const each of evidence) {
    const severity = worse(each.rule === 'search-bait' ? ofBait : ofSum, each.least)
    if (severity === undefined) continue
    const key = `${each.rule} ${each.at.field}`
    const other = best.get(key)
    if (other === undefined || each.weight > other.evidence.weight) {
      best.set(key, { evidence: each, severity: worse(severity, other?.severity) ?? severity })
    }
  }
  return [...best.values()].map(({ evidence: { rule, at, offset, length, detail }, severity }) => ({
    rule,
    severity,
    field: at.field,
    offset,
    length,
    excerpt: excerptOf(at.text, offset, length),
    explanation: detail === undefined ? RULES[rule] : `${RULES[rule]} It says, as ${detail}.`,
  }))
}

function worse(one: Severity | undefined, other: Severity | undefined): Severity | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return isAtLeast(one, other) ? one : other
}

const AROUND = 40
const LONGEST_HIT = 160

function excerptOf(text: string, offset: number, length: number): string {
  const start = Math.max(0, offset - AROUND)
  const end = Math.min(text.length, offset + Math.min(length, LONGEST_HIT) + AROUND)
  const shown = visible(text.slice(start, end)).replaceAll(/\s+/g, ' ').trim()
  return `${start > 0 ? '…' : ''}${shown}${end < text.length ? '…' : ''}`
}
