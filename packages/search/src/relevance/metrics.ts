/** The quality of one ranking, or the mean of many. Every figure lies in 0..1, and 1 is perfect. */
export interface Figures {
  /** The first hit is relevant. */
  readonly hit1: number
  /** The share of the relevant tools among the first 5. */
  readonly recall5: number
  /** The share of the relevant tools among the first 10. */
  readonly recall10: number
  /** Discounted gain of the first 10, as a share of the best possible. */
  readonly ndcg10: number
  /** One over the place of the first relevant hit. */
  readonly mrr: number
}

/** The figures in the order in which tables show them, with their headings. */
export const FIGURES = [
  ['hit1', 'hit@1'],
  ['recall5', 'Recall@5'],
  ['recall10', 'Recall@10'],
  ['ndcg10', 'NDCG@10'],
  ['mrr', 'MRR'],
] as const satisfies readonly (readonly [keyof Figures, string])[]

/** Which tools answer a query, and how well. */
export interface Judgement {
  readonly relevant: ReadonlySet<string>
  /** Gains for NDCG; absent: every relevant tool gains 1. */
  readonly grades?: ReadonlyMap<string, number>
}

/** Measures one ranking, best first. A repeated id counts where it first stands; an empty ranking is worth 0. */
export function measure(ranking: readonly string[], judgement: Judgement): Figures {
  const ids = [...new Set(ranking)]
  const first = ids.findIndex((id) => judgement.relevant.has(id))
  return {
    hit1: first === 0 ? 1 : 0,
    recall5: recall(ids.slice(0, 5), judgement.relevant),
    recall10: recall(ids.slice(0, 10), judgement.relevant),
    ndcg10: ndcg(ids, judgement, 10),
    mrr: first === -1 ? 0 : 1 / (first + 1),
  }
}

/** The mean of each figure; zeros when there is nothing to average. */
export function meanFigures(all: readonly Figures[]): Figures {
  const mean = (key: keyof Figures) => all.reduce((sum, figures) => sum + figures[key], 0) / Math.max(all.length, 1)
  return {
    hit1: mean('hit1'),
    recall5: mean('recall5'),
    recall10: mean('recall10'),
    ndcg10: mean('ndcg10'),
    mrr: mean('mrr'),
  }
}

/** The middle value, or the mean of the two middle ones; 0 for no values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? 0
  return (lower + upper) / 2
}

function recall(ids: readonly string[], relevant: ReadonlySet<string>): number {
  return relevant.size === 0 ? 0 : ids.filter((id) => relevant.has(id)).length / relevant.size
}

function ndcg(ids: readonly string[], { relevant, grades }: Judgement, depth: number): number {
  const gain = (id: string) => (grades === undefined ? Number(relevant.has(id)) : (grades.get(id) ?? 0))
  const judged = grades === undefined ? [...relevant] : [...grades.keys()]
  const best = judged.map(gain).toSorted((a, b) => b - a)
  const ideal = discounted(best.slice(0, depth))
  // Rounding may lift a perfect ranking a hair above its ideal.
  return ideal === 0 ? 0 : Math.min(1, discounted(ids.slice(0, depth).map(gain)) / ideal)
}

function discounted(gains: readonly number[]): number {
  return gains.reduce((sum, gain, place) => sum + gain / Math.log2(place + 2), 0)
}
