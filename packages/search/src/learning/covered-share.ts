/**
 * The chance that the tool which the next query wants was used before, by Good and Turing's estimate: the share of the
 * uses whose tool was used after another query, too.
 * @param queries after how many queries each tool was used
 * @param hidden tools that have no influence
 */
export function coveredShare(queries: ReadonlyMap<string, number>, hidden: ReadonlySet<string>): number {
  let [all, again] = [0, 0]
  for (const [toolId, count] of queries) {
    if (hidden.has(toolId)) continue
    all += count
    if (count > 1) again += count
  }
  return all === 0 ? 0 : again / all
}
