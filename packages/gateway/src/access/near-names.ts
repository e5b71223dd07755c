import type { CatalogTool } from '../catalog/catalog.ts'

const MOST_NAMES = 3
/** Share of letter pairs that two names must have in common to be near. */
const NEAR_ENOUGH = 0.45
/** Beyond this much of what was written nobody mistypes. */
const LONGEST_READ = 200

interface Near {
  readonly tool: CatalogTool
  readonly likeness: number
  readonly wholeLikeness: number
}

/**
 * The tools whose names are most like a text, nearest first, ties by server and key. Cheap enough to be asked of ten
 * thousand tools while others wait.
 */
export function nearTools(text: string, tools: readonly CatalogTool[]): readonly CatalogTool[] {
  const whole = new LetterPairs(text)
  const name = new LetterPairs(
    text
      .slice(0, LONGEST_READ)
      .split(/:|_{2,}/u)
      .at(-1) ?? '',
  )
  const near: Near[] = []
  for (const tool of tools) {
    const likeness = Math.max(name.likenessTo(tool.name), whole.likenessTo(tool.name))
    if (likeness < Math.max(NEAR_ENOUGH, near[MOST_NAMES - 1]?.likeness ?? 0)) continue
    near.push({ tool, likeness, wholeLikeness: whole.likenessTo(`${tool.serverName}__${tool.name}`) })
    near.sort(byLikeness).splice(MOST_NAMES)
  }
  return near.map(({ tool }) => tool)
}

function byLikeness(a: Near, b: Near): number {
  return b.likeness - a.likeness || b.wholeLikeness - a.wholeLikeness || (a.tool.key < b.tool.key ? -1 : 1)
}

/** The pairs of neighbouring letters of a text, its ends included so that the shortest has some, too. */
class LetterPairs {
  readonly #has = new Uint8Array(1 << 16)
  readonly #count: number

  constructor(text: string) {
    this.#count = eachPair(text, (pair) => {
      this.#has[pair] = 1
    })
  }

  /** Dice's measure, from 0 to 1: common pairs over all pairs. */
  likenessTo(text: string): number {
    let common = 0
    const count = eachPair(text, (pair) => {
      common += this.#has[pair] ?? 0
    })
    return Math.min(1, (2 * common) / (this.#count + count))
  }
}

/** Letters count by their last eight bits: rare letters that meet so do not matter to a suggestion. */
function eachPair(text: string, visit: (pair: number) => void): number {
  const read = text.slice(0, LONGEST_READ).toLowerCase()
  let before = 0
  for (let at = 0; at < read.length; at++) {
    const letter = read.charCodeAt(at) & 0xff
    visit((before << 8) | letter)
    before = letter
  }
  visit(before << 8)
  return read.length + 1
}
