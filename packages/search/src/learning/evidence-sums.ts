import { CALLER_CAP, STRENGTH_RATE } from './parameters.ts'

interface Sum {
  total: number
  /** Made with the first use that has a caller. */
  byCaller: Map<string, number> | undefined
  best: number
  query: string
}

/** Worth is rounded to whole numbers of this many parts: their sums are exact, in whatever order they are added. */
const WORTH_ONE = 2 ** 30

/** Adds up what speaks for each of several things, bounded by caller. */
export class EvidenceSums {
  readonly #sums = new Map<string, Sum>()

  /** @param caller of uses with one it begins with `=` */
  add(id: string, caller: string, exactWorth: number, query: string): void {
    const worth = Math.round(exactWorth * WORTH_ONE) / WORTH_ONE
    let sum = this.#sums.get(id)
    if (sum === undefined) {
      sum = { total: 0, byCaller: undefined, best: 0, query }
      this.#sums.set(id, sum)
    }
    sum.total += caller.startsWith('=') ? gainOf(sum, caller, worth) : Math.min(1, worth)
    if (worth < sum.best || (worth === sum.best && query >= sum.query)) return
    sum.best = worth
    sum.query = query
  }

  /** How much speaks for each, 0 to 1, and the query that does so most. */
  strengths(): ReadonlyMap<string, { readonly strength: number; readonly query: string }> {
    const strengths = new Map<string, { readonly strength: number; readonly query: string }>()
    for (const [id, { total, query }] of this.#sums) {
      strengths.set(id, { strength: 1 - Math.exp(-STRENGTH_RATE * total), query })
    }
    return strengths
  }
}

function gainOf(sum: Sum, caller: string, worth: number): number {
  sum.byCaller ??= new Map()
  const before = sum.byCaller.get(caller) ?? 0
  const after = Math.min(CALLER_CAP, before + worth)
  sum.byCaller.set(caller, after)
  return after - before
}
