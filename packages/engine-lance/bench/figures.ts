import { measure } from '@tooldex/search/relevance'
import type { JudgedQuery } from './catalog.ts'
import type { Answers, Filled, Truth } from './parts.ts'

/** The figures of an engine at one size. Times are those of a whole search, with the ranking, unless named otherwise. */
export interface EngineFigures {
  readonly p50Ms: number
  readonly p99Ms: number
  readonly tenantP50Ms: number
  readonly tenantP99Ms: number
  readonly candidatesP50Ms: number
  readonly candidatesP99Ms: number
  /** Processor time of a search, all threads. */
  readonly searchCpuMs: number
  /** The share of the ordinary index's best ten among the candidates; absent where it was not asked. */
  readonly recall: number | null
  /** The same within the rules of tenants. */
  readonly tenantRecall: number | null
  /** NDCG@10 as a share of the ordinary index's, on the mean of the sets; absent where it was not asked. */
  readonly ndcgRatio: number | null
  /** The same for each set. */
  readonly ndcgRatios: Readonly<Record<string, number>>
  /** With four searches at a time. */
  readonly searchesPerSecond: number
  /** After the first search. */
  readonly rssMb: number
  readonly firstSearchMs: number
  /** With analysis and tidying up, by the clock and by processor time. */
  readonly toolsPerSecond: number
  readonly toolsPerCpuSecond: number
}

/** Compares the answers of an engine with those of the ordinary index. */
export function measureEngine(
  queries: readonly JudgedQuery[],
  answers: Answers & Filled,
  truth: Truth | undefined,
): EngineFigures {
  const { tools, ms, cpuMs, times, tenantTimes, candidateTimes } = answers
  const ratios = truth === undefined ? {} : ratiosOf(queries, answers, truth)
  return {
    p50Ms: rounded(percentile(times, 0.5)),
    p99Ms: rounded(percentile(times, 0.99)),
    tenantP50Ms: rounded(percentile(tenantTimes, 0.5)),
    tenantP99Ms: rounded(percentile(tenantTimes, 0.99)),
    candidatesP50Ms: rounded(percentile(candidateTimes, 0.5)),
    candidatesP99Ms: rounded(percentile(candidateTimes, 0.99)),
    searchCpuMs: rounded(answers.searchCpuMs),
    recall: truth === undefined ? null : recall(truth.found, answers.candidates),
    tenantRecall: truth === undefined ? null : recall(truth.foundByTenant, answers.candidatesByTenant),
    ndcgRatio: truth === undefined ? null : rounded(ratios.all ?? 1),
    ndcgRatios: Object.fromEntries(Object.entries(ratios).map(([set, ratio]) => [set, rounded(ratio)])),
    searchesPerSecond: rounded(answers.searchesPerSecond),
    rssMb: Math.round(answers.rssMb),
    firstSearchMs: Math.round(answers.firstSearchMs),
    toolsPerSecond: Math.round((1_000 * tools) / ms),
    toolsPerCpuSecond: Math.round((1_000 * tools) / cpuMs),
  }
}

/** Where no answers are known, those of the index are taken for right. */
function ratiosOf(
  queries: readonly JudgedQuery[],
  answers: Answers,
  truth: Truth,
): { all?: number } & Record<string, number> {
  const bySet = new Map<string, { own: number[]; index: number[] }>()
  for (const [nth, { set, relevant }] of queries.entries()) {
    const judgement = { relevant: new Set(relevant ?? truth.found[nth]) }
    const ndcg = (ids: readonly string[] = []): number => measure(ids, judgement).ndcg10
    const known = bySet.get(set) ?? { own: [], index: [] }
    known.own.push(ndcg(answers.found[nth]))
    known.index.push(ndcg(truth.found[nth]))
    bySet.set(set, known)
  }
  const sets = [...bySet].map(([set, { own, index }]) => ({ set, own: mean(own), index: mean(index) }))
  const all = mean(sets.map(({ own }) => own)) / mean(sets.map(({ index }) => index))
  return { all, ...Object.fromEntries(sets.map(({ set, own, index }) => [set, index === 0 ? 1 : own / index])) }
}

function recall(truth: Truth['found'], candidates: Answers['candidates']): number {
  return rounded(mean(truth.map((ids, nth) => share(ids, candidates[nth] ?? []))))
}

function share(wanted: readonly string[], found: readonly string[]): number {
  const ids = new Set(found)
  return wanted.length === 0 ? 1 : wanted.filter((id) => ids.has(id)).length / wanted.length
}

function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000
}
