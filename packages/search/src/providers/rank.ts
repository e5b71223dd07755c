import { compareIds } from '../compare-ids.ts'

/** What can be put in order: the higher score first. */
export interface Ranked {
  readonly id: string
  readonly score: number
}

/** Best first; ties by id, so that the order depends on nothing else. */
export function byRank(a: Ranked, b: Ranked): number {
  return b.score - a.score || compareIds(a.id, b.id)
}

/** The best `limit` in order. A limit that is no positive number takes none. */
export function topRanked<Item extends Ranked>(items: readonly Item[], limit: number): Item[] {
  const wanted = limit >= 1 ? Math.floor(limit) : 0
  if (wanted === 0) return []
  if (items.length <= 2 * wanted) return [...items].sort(byRank).slice(0, wanted)
  return selectTop(items, wanted)
}

/** Sorting all costs more than all the matching when a short list is wanted from many thousand tools. */
function selectTop<Item extends Ranked>(items: readonly Item[], wanted: number): Item[] {
  let kept: Item[] = []
  let worst: Item | undefined
  for (const item of items) {
    if (worst !== undefined && byRank(item, worst) > 0) continue
    kept.push(item)
    if (kept.length < 2 * wanted) continue
    kept = kept.sort(byRank).slice(0, wanted)
    worst = kept[wanted - 1]
  }
  return kept.sort(byRank).slice(0, wanted)
}
