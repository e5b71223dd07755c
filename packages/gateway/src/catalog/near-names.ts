import type { CatalogTool } from './catalog.ts'

const MOST_NAMES = 3
/** Share of letter pairs that two names must have in common to be near. */
const NEAR_ENOUGH = 0.45
/** Beyond this much of what was written nobody mistypes. */
const LONGEST_READ = 200

/** The tools whose names are most like a text, nearest first, ties by key. Cheap enough for ten thousand tools. */
export function nearTools(text: string, tools: readonly CatalogTool[]): readonly CatalogTool[] {
  const whole = text.slice(0, LONGEST_READ)
  const asWhole = pairsOf(whole)
  const asName = pairsOf(whole.split(/:|_{2,}/u).at(-1) ?? '')
  const near: { tool: CatalogTool; likeness: number }[] = []
  for (const tool of tools) {
    const name = tool.name.slice(0, LONGEST_READ)
    const likeness = Math.max(likenessOf(asName, name), likenessOf(asWhole, `${tool.serverName}__${name}`))
    if (likeness >= NEAR_ENOUGH) near.push({ tool, likeness })
  }
  near.sort((a, b) => b.likeness - a.likeness || (a.tool.key < b.tool.key ? -1 : 1))
  return near.slice(0, MOST_NAMES).map(({ tool }) => tool)
}

/** Dice's measure: common letter pairs over all letter pairs. */
function likenessOf(pairs: ReadonlySet<string>, name: string): number {
  const others = pairsOf(name)
  let common = 0
  for (const pair of others) if (pairs.has(pair)) common++
  return (2 * common) / (pairs.size + others.size)
}

/** Neighbouring letters, the ends included, so that the shortest name has pairs, too. */
function pairsOf(text: string): Set<string> {
  const padded = ` ${text.toLowerCase()} `
  const pairs = new Set<string>()
  for (let at = 0; at < padded.length - 1; at++) pairs.add(padded.slice(at, at + 2))
  return pairs
}
