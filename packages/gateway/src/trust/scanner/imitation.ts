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
const FILLERS = new Set([
  'the',
  'a',
  'an',
  'of',
  'for',
  'to',
  'my',
  'tool',
  'new',
  'v2',
  'best',
  'premium',
  'pro',
  'secure',
  'official',
  'enhanced',
  'real',
  'safe',
  'plus',
  'ultimate',
  'advanced',
])
/** Verbs that mean the same at the start of a name. */
const SAME_VERB = new Map([
  ...['get', 'fetch', 'retrieve', 'read', 'load', 'obtain', 'show', 'view', 'query', 'lookup', 'find', 'search'].map(
    (verb) => [verb, 'get'] as const,
  ),
  ...['create', 'add', 'make', 'insert', 'new', 'write', 'save', 'store'].map((verb) => [verb, 'create'] as const),
  ...['delete', 'remove', 'drop', 'erase'].map((verb) => [verb, 'delete'] as const),
  ...['execute', 'run', 'exec', 'invoke', 'perform'].map((verb) => [verb, 'run'] as const),
  ...['change', 'set', 'update', 'edit', 'modify'].map((verb) => [verb, 'set'] as const),
])

const NEAR_TEXT = 0.6
const SAME_TEXT = 0.85

/** Tools of other servers that this one could be taken for. */
export function imitationsOf(
  tool: Readonly<Record<string, unknown>>,
  peers: readonly Peer[],
  server?: string,
): Finding[] {
  const name = textOf(tool['name'])
  const description = textOf(tool['description'])
  if (name === '') return []
  const words = nameWords(name)
  const bag = wordBag(description)
  let best: { peer: Peer; severity: Finding['severity']; why: string } | undefined
  for (const peer of peers) {
    if (peer.server === server) continue
    const other = textOf(peer.tool['name'])
    if (other === '') continue
    const similarity = overlap(bag, wordBag(textOf(peer.tool['description'])))
    const alike = nameLikeness(name, words, other)
    const found = judged(alike, similarity)
    if (found !== undefined && (best === undefined || found.severity === 'hold')) best = { peer, ...found }
    if (best?.severity === 'hold') break
  }
  if (best === undefined) return []
  return [
    {
      rule: 'imitation',
      severity: best.severity,
      field: '/name',
      offset: 0,
      length: name.length,
      excerpt: visible(name),
      explanation: `${RULES.imitation} It ${best.why} ${visible(textOf(best.peer.tool['name']))} of ${visible(best.peer.server)}.`,
    },
  ]
}

type NameLikeness = 'same' | 'look-alike' | 'synonym' | 'none'

function judged(alike: NameLikeness, similarity: number): { severity: 'hold' | 'remark'; why: string } | undefined {
  // The same name with the same text is the same program twice, which people do on purpose.
  if (alike === 'same') return similarity > SAME_TEXT ? undefined : { severity: 'remark', why: 'has the name of' }
  if (alike === 'look-alike') return { severity: 'hold', why: 'has nearly the name of' }
  if (alike === 'synonym')
    return similarity >= NEAR_TEXT / 2 ? { severity: 'hold', why: 'has nearly the name and text of' } : undefined
  return similarity >= SAME_TEXT ? { severity: 'hold', why: 'has the text of' } : undefined
}

function nameLikeness(name: string, words: readonly string[], other: string): NameLikeness {
  if (name === other) return 'same'
  const plain = squeezed(name)
  const otherPlain = squeezed(other)
  if (plain === otherPlain) return 'look-alike'
  if (plain.length >= 8 && isOneEditApart(plain, otherPlain)) return 'look-alike'
  const otherWords = nameWords(other)
  if (words.length === 0 || otherWords.length === 0) return 'none'
  const key = words.toSorted().join(' ')
  const otherKey = otherWords.toSorted().join(' ')
  if (key === otherKey) return words.length > 1 ? 'look-alike' : 'synonym'
  const verbless = (list: readonly string[]): string =>
    list
      .map((word, index) => (index === 0 ? (SAME_VERB.get(word) ?? word) : word))
      .toSorted()
      .join(' ')
  return verbless(words) === verbless(otherWords) || isWithin(words, otherWords) ? 'synonym' : 'none'
}

/** Whether one name is the other with words added. */
function isWithin(one: readonly string[], other: readonly string[]): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one]
  return short.length > 1 && short.every((word) => long.includes(word))
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 8_192) : '')

const squeezed = (name: string): string =>
  readText(name)
    .text.replaceAll(/[^\p{L}\p{N}]/gu, '')
    .replaceAll('0', 'o')
    .replaceAll('1', 'l')

function nameWords(name: string): string[] {
  return readText(name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2'))
    .text.split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !FILLERS.has(word))
    .map((word) => (word.length > 3 ? word.replace(/(?:ies)$/, 'y').replace(/(?<!s)s$/, '') : word))
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

/** One letter changed, added, left out, or two swapped. */
function isOneEditApart(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1) return false
  let start = 0
  while (start < one.length && one[start] === other[start]) start++
  const rest = one.slice(start)
  const otherRest = other.slice(start)
  if (rest.slice(1) === otherRest.slice(1) || rest === otherRest.slice(1) || rest.slice(1) === otherRest) return true
  return rest.slice(2) === otherRest.slice(2) && rest[0] === otherRest[1] && rest[1] === otherRest[0]
}
