import {
  CHANGE_THRESHOLDS,
  type Evidence,
  severityOf,
  THRESHOLDS,
  type Thresholds,
} from '../../src/trust/scanner/evidence.ts'
import type { Severity } from '../../src/trust/scanner/finding.ts'
import type { ScanRecord } from './records.ts'

/** A record with what speaks against it. */
export interface Weighed {
  readonly record: ScanRecord
  readonly evidence: readonly Evidence[]
}

/** How often something was found: in attacks that is recall, in honest texts a false positive. */
export interface Rate {
  readonly count: number
  readonly found: number
  readonly blocked: number
}

/** The figures of a run. Rates are between 0 and 1; absent (null) where there was nothing to count. */
export interface Scores {
  readonly recall: number | null
  readonly falsePositive: number | null
  readonly block: { readonly recall: number | null; readonly falsePositive: number | null }
  readonly families: Readonly<
    Record<string, Rate & { readonly label: string; readonly rate: number; readonly blockRate: number }>
  >
  readonly sources: Readonly<
    Record<string, Rate & { readonly label: string; readonly rate: number; readonly blockRate: number }>
  >
  /** Each group of near-duplicates counts once. */
  readonly perGroup: { readonly recall: number | null; readonly falsePositive: number | null }
  readonly concealed: { readonly count: number; readonly recall: number | null }
}

/** The severity of a record under thresholds. */
export function severityIn({ record, evidence }: Weighed, thresholds: Thresholds = THRESHOLDS): Severity | undefined {
  const isChange = record.surface === 'tool_update'
  const { hold } = isChange && thresholds === THRESHOLDS ? CHANGE_THRESHOLDS : thresholds
  return severityOf(evidence, { ...thresholds, hold })
}

/** Counts what was found. */
export function scoresOf(
  weighed: readonly Weighed[],
  severity: (each: Weighed) => Severity | undefined = severityIn,
): Scores {
  const outcomes = weighed.map((each) => ({ record: each.record, severity: severity(each) }))
  const attacks = outcomes.filter(({ record }) => record.label === 'attack')
  const honest = outcomes.filter(({ record }) => record.label === 'benign')
  const concealed = attacks.filter(({ record }) => record.isConcealed)
  return {
    recall: rateOf(attacks),
    falsePositive: rateOf(honest),
    block: { recall: blockRateOf(attacks), falsePositive: blockRateOf(honest) },
    families: groupedBy(outcomes, ({ family }) => family),
    sources: groupedBy(outcomes, ({ source }) => source),
    perGroup: { recall: perGroup(attacks), falsePositive: perGroup(honest) },
    concealed: { count: concealed.length, recall: rateOf(concealed) },
  }
}

interface Outcome {
  readonly record: ScanRecord
  readonly severity: Severity | undefined
}

function rateOf(outcomes: readonly Outcome[]): number | null {
  return outcomes.length === 0
    ? null
    : outcomes.filter(({ severity }) => severity !== undefined).length / outcomes.length
}

function blockRateOf(outcomes: readonly Outcome[]): number | null {
  return outcomes.length === 0 ? null : outcomes.filter(({ severity }) => severity === 'block').length / outcomes.length
}

function groupedBy(outcomes: readonly Outcome[], nameOf: (record: ScanRecord) => string): Scores['families'] {
  const groups = Map.groupBy(outcomes, ({ record }) => `${record.label} ${nameOf(record)}`)
  const names = [...groups.values()].map(([first]) => (first === undefined ? '' : nameOf(first.record)))
  return Object.fromEntries(
    [...groups]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => {
        const [label = '', ...rest] = key.split(' ')
        const name = rest.join(' ')
        // A name that both labels use is told apart by its label.
        const isShared = names.filter((other) => other === name).length > 1
        const found = each.filter(({ severity }) => severity !== undefined).length
        const blocked = each.filter(({ severity }) => severity === 'block').length
        return [
          isShared ? `${name} (${label})` : name,
          { label, count: each.length, found, blocked, rate: found / each.length, blockRate: blocked / each.length },
        ]
      }),
  )
}

function perGroup(outcomes: readonly Outcome[]): number | null {
  const rates = [...Map.groupBy(outcomes, ({ record }) => record.group).values()].map((each) => rateOf(each) ?? 0)
  return rates.length === 0 ? null : rates.reduce((sum, rate) => sum + rate, 0) / rates.length
}
