import type { IndexedTool } from '@tooldex/search'
import type { Outcome } from './ranker.ts'

/** Two tools with nearly the same description, or that searches confuse. */
export interface ConfusablePair {
  readonly tools: readonly [string, string]
  /** Similarity of names and descriptions, 0 to 1. */
  readonly similarity: number
  /** Queries for one of them that found the other first. */
  readonly mixedUp: number
}

/** Above this similarity, a search can hardly tell two tools apart. */
const NEAR = 0.9
/** Tools that searches confused are reported from this similarity on. */
const NEAR_IF_MIXED_UP = 0.5
/** Comparing this many tools with each other takes a second. */
const MOST_TOOLS = 3_000
const MOST_PAIRS = 20

/** The most confusable pairs: those that were mixed up most often first, then the nearest. */
export function confusablePairs(
  tools: readonly IndexedTool[],
  outcomes: readonly Outcome[],
  vectorOf: (text: string) => Float32Array | undefined,
): readonly ConfusablePair[] {
  const mixedUp = mixUps(outcomes)
  const compared = tools.slice(0, MOST_TOOLS)
  const features = compared.map((tool) => featuresOf(tool, vectorOf))
  const pairs: ConfusablePair[] = []
  for (const [at, a] of compared.entries()) {
    for (let other = at + 1; other < compared.length; other++) {
      const b = compared[other] as IndexedTool
      const similarity = similarityOf(features[at] as ToolFeatures, features[other] as ToolFeatures)
      if (similarity < NEAR_IF_MIXED_UP) continue
      const count = mixedUp.get(pairId(a.id, b.id)) ?? 0
      if (similarity >= NEAR || count > 0) pairs.push({ tools: [a.id, b.id], similarity, mixedUp: count })
    }
  }
  return pairs.toSorted(byConfusion).slice(0, MOST_PAIRS)
}

/** How often one tool was ranked first where the other one was relevant. */
function mixUps(outcomes: readonly Outcome[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { ranking, query } of outcomes) {
    const [first] = ranking
    if (first === undefined || query.relevant.has(first)) continue
    for (const wanted of query.relevant) {
      const id = pairId(first, wanted)
      counts.set(id, (counts.get(id) ?? 0) + 1)
    }
  }
  return counts
}

const pairId = (a: string, b: string): string => (a < b ? `${a}\n${b}` : `${b}\n${a}`)

function byConfusion(a: ConfusablePair, b: ConfusablePair): number {
  return b.mixedUp - a.mixedUp || b.similarity - a.similarity || (a.tools.join() < b.tools.join() ? -1 : 1)
}

/** Features of a tool for the comparison. */
interface ToolFeatures {
  /** Absent for text in scripts that the embedding table does not cover. */
  readonly vector: Float32Array | undefined
  /** Pairs of adjacent letters, comparable in any script. */
  readonly pairs: ReadonlySet<string>
}

function featuresOf(
  { name, description = '' }: IndexedTool,
  vectorOf: (text: string) => Float32Array | undefined,
): ToolFeatures {
  const text = `${name}. ${description}`
  const letters = text.toLowerCase().match(/\p{L}/gu) ?? []
  const isLatin = letters.filter((letter) => /\p{Script=Latin}/u.test(letter)).length > letters.length / 2
  return {
    vector: isLatin ? vectorOf(text) : undefined,
    pairs: new Set(letters.map((letter, at) => letter + (letters[at + 1] ?? ''))),
  }
}

/** Cosine of the vectors where both have one, else the share of common letter pairs. */
function similarityOf(a: ToolFeatures, b: ToolFeatures): number {
  if (a.vector === undefined || b.vector === undefined) return sharedPairs(a.pairs, b.pairs)
  let cosine = 0
  for (let at = 0; at < a.vector.length; at++) cosine += (a.vector[at] as number) * (b.vector[at] as number)
  return Math.min(1, cosine)
}

function sharedPairs(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((pair) => b.has(pair)).length
  return (2 * shared) / Math.max(1, a.size + b.size)
}
