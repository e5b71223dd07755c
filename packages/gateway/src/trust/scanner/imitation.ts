import type { Finding } from './finding.ts'
import { RULES } from './finding.ts'
import { visible } from './hidden.ts'
import { readText } from './reading.ts'

/** A tool of another server. */
export interface Peer {
  readonly server: string
  readonly tool: Readonly<Record<string, unknown>>
}

/** Words that change nothing in a name. */
const FILLERS = new Set(
  'the a an of for to my tool new v2 best premium pro secure official enhanced real safe plus ultimate advanced'.split(
    ' ',
  ),
)
/** Verbs that mean the same at the start of a name. */
const SAME_VERB = new Map(
  [
    'get fetch retrieve read load obtain show view query lookup find search',
    'create add make insert new write save store',
    'delete remove drop erase',
    'run execute exec invoke perform',
    'set change update edit modify',
  ].flatMap((verbs) => verbs.split(' ').map((verb) => [verb, verbs.split(' ')[0] ?? verb] as const)),
)

/** Shared words of two descriptions, over all their words: those of a copy, of a paraphrase, of tools of one kind. */
const SAME_TEXT = 0.85
const NEAR_TEXT = 0.5
const RELATED_TEXT = 0.1
/** Shorter names are one letter apart by chance. */
const SHORTEST_NAME = 8
const MOST_WORDS = 8
const MOST_ALIKE = 32
const LONGEST_NAME = 64

/** Tools by everything that another tool could imitate. Adding one and asking for one take no longer with many others. */
export class PeerIndex {
  readonly #byKey = new Map<string, { peer: Peer; words: ReadonlySet<string> }[]>()

  add(peer: Peer): void {
    const entry = { peer, words: wordBag(textOf(peer.tool['description'])) }
    for (const key of keysOf(peer.tool).offered) {
      const known = this.#byKey.get(key)
      if (known === undefined) this.#byKey.set(key, [entry])
      // A name that dozens of servers have belongs to none of them.
      else if (known.length < MOST_ALIKE) known.push(entry)
    }
  }

  /** The tool of another server that this one could be taken for, as a finding. */
  imitationOf(tool: Readonly<Record<string, unknown>>, server?: string): Finding[] {
    const name = textOf(tool['name'])
    if (name === '') return []
    const words = wordBag(textOf(tool['description']))
    let best: { peer: Peer; severity: 'hold' | 'remark'; why: string } | undefined
    for (const key of keysOf(tool).asked) {
      for (const { peer, words: others } of this.#byKey.get(key) ?? []) {
        if (peer.server === server || peer.tool === tool) continue
        const found = judged(likenessOf(key, name, peer), overlap(words, others))
        if (found !== undefined && (best === undefined || (best.severity === 'remark' && found.severity === 'hold'))) {
          best = { peer, ...found }
        }
      }
    }
    if (best === undefined) return []
    const { peer, severity, why } = best
    const explanation = `${RULES.imitation} It ${why} ${visible(textOf(peer.tool['name']))} of ${visible(peer.server)}.`
    return [
      {
        rule: 'imitation',
        severity,
        field: '/name',
        offset: 0,
        length: name.length,
        excerpt: visible(name),
        explanation,
      },
    ]
  }
}

/** Tools of other servers that this one could be taken for. */
export function imitationsOf(
  tool: Readonly<Record<string, unknown>>,
  peers: Iterable<Peer>,
  server?: string,
): Finding[] {
  const index = new PeerIndex()
  for (const peer of peers) index.add(peer)
  return index.imitationOf(tool, server)
}

type Likeness = 'same' | 'look-alike' | 'synonym' | 'text'

function likenessOf(key: string, name: string, { tool }: Peer): Likeness {
  if (name === textOf(tool['name'])) return 'same'
  if (key.startsWith('letters ') || key.startsWith('words ')) return 'look-alike'
  return key.startsWith('text ') ? 'text' : 'synonym'
}

function judged(likeness: Likeness, similarity: number): { severity: 'hold' | 'remark'; why: string } | undefined {
  switch (likeness) {
    case 'same':
      // The same name with the same text is the same program twice; with another text it is a word that many use.
      return similarity >= NEAR_TEXT && similarity < SAME_TEXT
        ? { severity: 'remark', why: 'has the name and nearly the text of' }
        : undefined
    case 'look-alike':
      if (similarity >= NEAR_TEXT) return { severity: 'hold', why: 'has nearly the name and the text of' }
      return similarity >= RELATED_TEXT ? { severity: 'remark', why: 'has nearly the name of' } : undefined
    case 'synonym':
      return similarity >= NEAR_TEXT ? { severity: 'hold', why: 'has a name like and nearly the text of' } : undefined
    case 'text':
      return { severity: 'hold', why: 'has the text of' }
  }
}

/** Keys under which a tool is found, and those under which it looks for others. */
function keysOf(tool: Readonly<Record<string, unknown>>): { offered: ReadonlySet<string>; asked: ReadonlySet<string> } {
  const name = textOf(tool['name'])
  const offered = new Set<string>()
  const asked = new Set<string>()
  const both = (key: string): void => {
    offered.add(key)
    asked.add(key)
  }
  if (name === '') return { offered, asked }
  const letters = squeezed(name)
  both(`letters ${letters}`)
  if (letters.length >= SHORTEST_NAME && letters.length <= LONGEST_NAME) {
    // Two names are one letter apart if they are equal without one letter of each.
    for (let index = 0; index < letters.length; index++) {
      both(`letters ${letters.slice(0, index)}${letters.slice(index + 1)}`)
    }
  }
  const words = nameWords(name).slice(0, MOST_WORDS)
  if (words.length > 1) {
    both(`words ${words.toSorted().join(' ')}`)
    const [verb = '', ...rest] = words
    const plain = [SAME_VERB.get(verb) ?? verb, ...rest]
    const whole = plain.toSorted().join(' ')
    both(`verb ${whole}`)
    // One name may have one word more than the other.
    asked.add(`part ${whole}`)
    for (const word of plain.length > 2 ? plain : []) {
      const part = plain
        .filter((each) => each !== word)
        .toSorted()
        .join(' ')
      offered.add(`part ${part}`)
      asked.add(`verb ${part}`)
    }
  }
  const bag = wordBag(textOf(tool['description']))
  if (bag.size >= 6) both(`text ${[...bag].toSorted().join(' ')}`)
  return { offered, asked }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 8_192) : '')

function squeezed(name: string): string {
  return readText(name)
    .text.replaceAll(/[^\p{L}\p{N}]/gu, '')
    .replaceAll('0', 'o')
    .replaceAll('1', 'l')
}

function nameWords(name: string): string[] {
  return readText(name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2'))
    .text.split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !FILLERS.has(word))
    .map((word) => (word.length > 3 ? word.replace(/ies$/, 'y').replace(/(?<!s)s$/, '') : word))
}

function wordBag(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/\p{L}{3,40}/gu))
}

/** Shared words over all words of both. */
function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 || other.size === 0) return 0
  let shared = 0
  for (const word of one) if (other.has(word)) shared++
  return shared / (one.size + other.size - shared)
}
