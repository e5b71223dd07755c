import type { BenchTool } from './bench-tool.ts'
import type { Random } from './random.ts'
import { between, pick, seededRandom } from './random.ts'

/** A question, and the tool whose words it borrows. */
export interface BenchQuery {
  /** Three to ten words, in lower case. */
  readonly text: string
  /** Id of the tool that the question was made from. */
  readonly about: string
}

const MIN_WORDS = 3
const MAX_WORDS = 10
const MAX_WORD_LENGTH = 20
const SHARE_OF_BORROWED = 0.7
const LEADING_WORDS_OF_DESCRIPTION = 30

const OPENINGS = ['', '', '', 'how do i', 'i want to', 'find a tool to', 'please', 'can you', 'help me', 'i need to']
const CONNECTORS = ['the', 'a', 'for', 'of', 'in', 'with', 'my', 'and', 'from', 'all']
const NOISE = ['quickly', 'latest', 'customer', 'existing', 'details', 'online', 'team', 'somehow', 'weekly', 'best']

/**
 * `count` different questions about the tools: words of a random tool's name and description with an opening, small
 * words and now and then a word that is not the tool's. The same questions for the same tools and seed.
 * @throws Error when the tools have too few words for that many questions.
 */
export function makeQueries(tools: readonly BenchTool[], count: number, seed = 2): BenchQuery[] {
  const random = seededRandom(seed)
  const queries = new Map<string, BenchQuery>()
  for (let attempts = count * 50; queries.size < count; attempts--) {
    if (attempts === 0 || tools.length === 0) throw new Error(`Cannot make ${count} different queries from these tools`)
    const tool = pick(random, tools)
    const text = question(tool, random)
    if (text !== undefined) queries.set(text, { text, about: tool.id })
  }
  return [...queries.values()]
}

function question(tool: BenchTool, random: Random): string | undefined {
  const length = between(random, MIN_WORDS, MAX_WORDS)
  const opening = pick(random, OPENINGS).split(' ').filter(Boolean)
  const room = length - opening.length
  if (room < 2) return undefined
  const text = borrowWords(tool, Math.max(2, Math.round(room * SHARE_OF_BORROWED)), random)
  if (text.length < 2) return undefined
  while (text.length < room) text.splice(between(random, 0, text.length - 1), 0, smallWord(random))
  return [...opening, ...text].join(' ')
}

/** Some words of the tool in their order, those of its name first, as people name the thing they want. */
function borrowWords(tool: BenchTool, count: number, random: Random): string[] {
  const named = wordsOf(tool.name)
  const described = wordsOf(tool.description).slice(0, LEADING_WORDS_OF_DESCRIPTION)
  const ofName = sampleInOrder(new Set(named), between(random, 1, count), random)
  const others = new Set(described.filter((word) => !named.includes(word)))
  return [...ofName, ...sampleInOrder(others, count - ofName.length, random)]
}

function sampleInOrder(words: Iterable<string>, count: number, random: Random): string[] {
  const sample = [...words]
  while (sample.length > count) sample.splice(between(random, 0, sample.length - 1), 1)
  return sample
}

function smallWord(random: Random): string {
  return pick(random, random() < 0.3 ? NOISE : CONNECTORS)
}

function wordsOf(text: string): string[] {
  const spaced = text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').toLowerCase()
  return (spaced.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => word.length > 1 && word.length <= MAX_WORD_LENGTH)
}
