import type { Corpus } from '../index/corpus.ts'
import type { CorpusView } from '../index/corpus-view.ts'
import { WHOLE_FLAG } from '../index/document-reader.ts'
import { visibleCount } from '../index/frequency.ts'
import { bitOf, fieldBitsIn } from '../index/posting.ts'
import type { Concept } from '../query/concepts.ts'
import { coverageOf } from './query-coverage.ts'
import type { Fit } from './request-fit.ts'

/**
 * What speaks for and against a tool as the answer to a query, each from 0 to 1. The relevance is a probability that is
 * worked out from it.
 */
export interface WordEvidence {
  /** How well the tool fits the words, by their rarity. */
  readonly coverage: number
  /** The share of the words, by rarity, that the tool has at all, in any form. */
  readonly present: number
  /** The share of the words, by rarity, that its name, its title or its server's name has. */
  readonly named: number
  /** How rare the rarest word is that the tool lacks, compared with the rarest of the query. */
  readonly rarestMissing: number
  /** The share of the words, by rarity, that no visible tool has. */
  readonly unknown: number
  /** The share of the words of its name that the query has. */
  readonly nameAsked: number
  /** Whether the query has a verb, and the tool does this kind of thing, or a contrary one. */
  readonly asksAction: number
  readonly agrees: number
  readonly contradicts: number
  readonly differs: number
  /** How surely the tool has this very verb, or another word for it. */
  readonly verbPresent: number
  /** The share of the things that the query is about, without verb and service, that the name has, or the tool at all. */
  readonly objectNamed: number
  readonly objectPresent: number
  /** The direction of a conversion, from −1 to 1, and the share of the excluded things that it is about. */
  readonly direction: number
  readonly excluded: number
  /** Whether the query names a service, and the tool does not belong to it. */
  readonly asksService: number
  readonly otherService: number
  /** The number of words of the query: 0 for one, 1 for very many. */
  readonly length: number
  /** The number of visible tools: 0 for one, 1 for ten thousand. Among many, something that is not it comes nearer. */
  readonly catalog: number
}

const IDENTITY_BITS = bitOf('name') | bitOf('title') | bitOf('server')
const TOOL_BITS = bitOf('name') | bitOf('title')
const NAME_MARK = -1
const LARGE_CATALOG_DIGITS = 4

/** The words' evidence for a document. Of a long query the best covered part counts. */
export function wordEvidence(
  document: number,
  parts: readonly (readonly Concept[])[],
  fit: Fit & { readonly verb: string; readonly asksService: boolean },
  corpus: Corpus,
  view: CorpusView,
): WordEvidence {
  let best: readonly Concept[] = []
  let coverage = -1
  for (const concepts of parts) {
    const covered = coverageOf(document, concepts, corpus, view)
    if (covered > coverage) [best, coverage] = [concepts, covered]
  }
  return {
    coverage: Math.max(0, coverage),
    ...sharesOf(document, best, fit.verb, corpus, view),
    nameAsked: nameAsked(document, best, corpus),
    asksAction: Number(fit.verb !== ''),
    agrees: fit.agrees,
    contradicts: fit.contradicts,
    differs: fit.differs,
    direction: fit.direction,
    excluded: fit.excluded,
    asksService: Number(fit.asksService),
    otherService: 1 - fit.service,
    length: 1 - 1 / Math.sqrt(Math.max(1, parts[0]?.length ?? 1)),
    catalog: Math.min(1, Math.log10(Math.max(1, view.count)) / LARGE_CATALOG_DIGITS),
  }
}

type Shares = Pick<
  WordEvidence,
  'present' | 'named' | 'rarestMissing' | 'unknown' | 'verbPresent' | 'objectNamed' | 'objectPresent'
>

function sharesOf(
  document: number,
  concepts: readonly Concept[],
  verb: string,
  corpus: Corpus,
  view: CorpusView,
): Shares {
  let [all, present, named, unknown, rarest, missing] = [0, 0, 0, 0, 0, 0]
  let [objects, objectNamed, objectPresent, verbPresent] = [0, 0, 0, 0]
  for (const { weight, members, ownStem, service } of concepts) {
    all += weight
    rarest = Math.max(rarest, weight)
    let [share, ofName, ofTool] = [0, 0, 0]
    for (const member of members) {
      const posting = corpus.postings.valueOf(member.term, document)
      if (posting === 0) continue
      const worth = Math.min(1, member.share)
      share = Math.max(share, worth)
      if ((fieldBitsIn(posting) & IDENTITY_BITS) !== 0) ofName = Math.max(ofName, worth)
      if ((fieldBitsIn(posting) & TOOL_BITS) !== 0) ofTool = Math.max(ofTool, worth)
    }
    if (ownStem === verb) verbPresent = share
    else if (service === 0) {
      objects += weight
      objectNamed += weight * ofTool
      objectPresent += weight * share
    }
    present += weight * share
    named += weight * ofName
    missing = Math.max(missing, weight * (1 - share))
    const isKnown = members.some(({ term }) => visibleCount(corpus.postings, term, view) > 0)
    if (!isKnown) unknown += weight
  }
  const ofObjects = {
    verbPresent,
    objectNamed: objects === 0 ? 1 : objectNamed / objects,
    objectPresent: objects === 0 ? 1 : objectPresent / objects,
  }
  if (all === 0) return { present: 0, named: 0, rarestMissing: 1, unknown: 1, ...ofObjects }
  return {
    present: present / all,
    named: named / all,
    rarestMissing: missing / rarest,
    unknown: unknown / all,
    ...ofObjects,
  }
}

function nameAsked(document: number, concepts: readonly Concept[], corpus: Corpus): number {
  const { surfaces, vocabulary } = corpus
  const asked = new Set(concepts.flatMap(({ members }) => members.map(({ term }) => term)))
  let [all, found] = [0, 0]
  for (const item of surfaces.get(document)) {
    if (item < 0 && item !== NAME_MARK) break
    if (item < 0 || (item & WHOLE_FLAG) !== 0) continue
    all++
    if (asked.has(vocabulary.termOf(item))) found++
  }
  return all === 0 ? 0 : found / all
}
