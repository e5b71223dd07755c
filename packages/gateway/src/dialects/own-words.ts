import { shortDescription } from '@tooldex/search'
import type { EligibleTools } from '../access/eligible-tools.ts'
import type { CatalogTool } from '../catalog/catalog.ts'
import { descriptionOf } from '../exposure/listed-tool.ts'

/** Longer descriptions are read up to here, and at most this many tools of a server are compared. */
const READ_CHARACTERS = 1_000
const MOST_COMPARED = 200
/** A sentence is boilerplate if more than half of the tools have it, and at least this many. */
const LEAST_SHARING = 3

const SENTENCE_ENDS = /(?<=[.!?。！？])\s+|\s*\n\s*/u

/** What the descriptions of a server's tools have in common. */
interface Boilerplate {
  readonly sentences: ReadonlySet<string>
  /** How all of them begin, such as `Notion | `. */
  readonly prefix: string
}

/** By server; of one caller, because nothing else may depend on tools that it must not know. */
const shared = new WeakMap<EligibleTools, Map<string, Boilerplate>>()

/**
 * The first sentence of a description that tells the tool apart from the others of its server, on one line.
 * @param unlessNamed leaves out a sentence that says no more than the name of the tool
 */
export function ownWords(tool: CatalogTool, eligible: EligibleTools, unlessNamed = false): string | undefined {
  const description = descriptionOf(tool, eligible.project)
  if (description === undefined) return undefined
  const own = ownSentences(description, boilerplateOf(tool.serverId, eligible))
  const sentence = shortDescription(own.length === 0 ? description : own.join('\n\n'))
  return unlessNamed && sentence !== undefined && isNamed(sentence, tool) ? undefined : sentence
}

const FILLERS: ReadonlySet<string> = new Set(
  'a an the of in on to for from with by and or all your this that one new'.split(' '),
)

/** Whether every word of a sentence is a word of the tool's name or its server's. */
function isNamed(sentence: string, { name, serverName }: CatalogTool): boolean {
  const known = new Set(wordsOf(`${name} ${serverName}`.replace(/([a-z])([A-Z])/g, '$1 $2')))
  return wordsOf(sentence).every((word) => FILLERS.has(word) || known.has(word))
}

/** Words in lower case, without the ending of the plural or of a verb. */
function wordsOf(text: string): readonly string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map((word) =>
    word.length > 3 ? word.replace(/e?s$/, '') : word,
  )
}

function ownSentences(description: string, { sentences, prefix }: Boilerplate): readonly string[] {
  const rest = description.startsWith(prefix) ? description.slice(prefix.length) : description
  if (sentences.size === 0) return [rest]
  return sentencesOf(rest).filter((sentence) => !sentences.has(sentence))
}

function boilerplateOf(serverId: string, eligible: EligibleTools): Boilerplate {
  const ofCaller = shared.get(eligible) ?? new Map<string, Boilerplate>()
  shared.set(eligible, ofCaller)
  const known = ofCaller.get(serverId) ?? findBoilerplate(serverId, eligible)
  ofCaller.set(serverId, known)
  return known
}

function findBoilerplate(serverId: string, eligible: EligibleTools): Boilerplate {
  const tools = [...eligible.of(serverId)].slice(0, MOST_COMPARED)
  const { project } = eligible
  const descriptions = tools.map((tool) => (descriptionOf(tool, project) ?? '').slice(0, READ_CHARACTERS))
  if (descriptions.length < LEAST_SHARING) return { sentences: new Set(), prefix: '' }
  const prefix = sharedPrefix(descriptions)
  const counts = new Map<string, number>()
  for (const description of descriptions) {
    for (const sentence of new Set(sentencesOf(description.slice(prefix.length)))) {
      counts.set(sentence, (counts.get(sentence) ?? 0) + 1)
    }
  }
  const isShared = (count: number): boolean => count >= LEAST_SHARING && count > tools.length / 2
  return { sentences: new Set([...counts].filter(([, count]) => isShared(count)).map(([text]) => text)), prefix }
}

/** How all begin, up to a mark that ends a label: words alone may be the beginning of different sentences. */
function sharedPrefix([first = '', ...others]: readonly string[]): string {
  let length = first.length
  for (const other of others) {
    while (length > 0 && !other.startsWith(first.slice(0, length))) length--
  }
  return /^.*[|:>\]–—-]\s+/su.exec(first.slice(0, length))?.[0] ?? ''
}

function sentencesOf(description: string): readonly string[] {
  return description
    .slice(0, READ_CHARACTERS)
    .split(SENTENCE_ENDS)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '')
}
