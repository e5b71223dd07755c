import type { Random } from '../random.ts'

/** How pairs are put into batches. */
export interface BatchOptions {
  readonly batchSize: number
  /** How many members of one group a batch gets in one go. */
  readonly perGroup: number
  readonly random: Random
}

/** Everything once, in random order but with members of a group side by side; what fills no batch is left out. */
export function batchesOf(groups: readonly string[], { batchSize, perGroup, random }: BatchOptions): number[][] {
  const order = random.shuffled(groups.map((_, member) => member))
  const runs: number[][] = []
  for (const members of Map.groupBy(order, (member) => groups[member] ?? '').values()) {
    for (let at = 0; at < members.length; at += perGroup) runs.push(members.slice(at, at + perGroup))
  }
  const mixed = random.shuffled(runs).flat()
  const batches: number[][] = []
  for (let at = 0; at + batchSize <= mixed.length; at += batchSize) batches.push(mixed.slice(at, at + batchSize))
  return batches
}
