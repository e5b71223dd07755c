import { type ActionBits, actionsOf, opposedTo } from '../../../text/actions.ts'
import type { Corpus } from '../index/corpus.ts'
import { WHOLE_FLAG } from '../index/document-reader.ts'
import { bitOf, fieldBitsIn } from '../index/posting.ts'
import { FIT_WEIGHT } from '../parameters.ts'
import type { Concept } from '../query/concepts.ts'
import type { Request } from '../query/request.ts'

/** How a tool fits what a request says beyond its words. */
export interface Fit {
  /** 1 where the tool does the kind of thing that is asked. */
  readonly agrees: number
  /** 1 where it does the opposite. */
  readonly contradicts: number
  /** 1 where it does another kind of thing, contrary or not. */
  readonly differs: number
  /** 1 where it turns the same thing into the same, −1 where it does the reverse. */
  readonly direction: number
  /** The share of what is excluded that the tool is about. */
  readonly excluded: number
  /** The share of the named services that the tool belongs to; 1 where none is named. */
  readonly service: number
}

const NAME_MARK = -1
const SERVER_MARK = -3
const DESCRIPTION_MARK = -4
const IDENTITY_BITS = bitOf('name') | bitOf('server') | bitOf('title')
/** A description says what it does in its first words. */
const OPENING_WORDS = 4
/** How far from the mark the two things of a direction may be. */
const REACH = 4

const MARKS: ReadonlySet<string> = new Set(['to', 'into', '2', 'as'])

/** Judges candidates by their own words, so only the best get it. */
export class RequestFit {
  readonly #corpus: Corpus
  #request: Request | undefined
  #opposed: ActionBits = 0
  #services: readonly Concept[] = []
  #servicesTotal = 0

  constructor(corpus: Corpus) {
    this.#corpus = corpus
  }

  /** Sets the request to judge by. */
  begin(request: Request | undefined, concepts: readonly Concept[]): void {
    this.#request = request
    this.#opposed = opposedTo(request?.actions ?? 0)
    this.#services = concepts.filter(({ service }) => service > 0)
    this.#servicesTotal = this.#services.reduce((sum, { service }) => sum + service, 0)
  }

  /** What the fit adds to a score of words. */
  bonus(document: number): number {
    const { agrees, contradicts, direction, excluded } = this.of(document)
    return (
      FIT_WEIGHT.agrees * agrees -
      FIT_WEIGHT.contradicts * contradicts +
      FIT_WEIGHT.direction * direction -
      FIT_WEIGHT.excluded * excluded
    )
  }

  of(document: number): Fit {
    const words = this.#wordsOf(document)
    return { ...this.#fitOfWords(words), service: this.#service(document) }
  }

  /** The stem of the request's verb; empty where it has none. */
  get verb(): string {
    return this.#request?.verb ?? ''
  }

  /** Whether it names a service. */
  get asksService(): boolean {
    return this.#servicesTotal > 0
  }

  #service(document: number): number {
    if (this.#servicesTotal === 0) return 1
    let has = 0
    for (const { members, service } of this.#services) {
      const isOf = members.some(
        ({ term, share }) =>
          share >= 0.9 && (fieldBitsIn(this.#corpus.postings.valueOf(term, document)) & IDENTITY_BITS) !== 0,
      )
      if (isOf) has += service
    }
    return has / this.#servicesTotal
  }

  #fitOfWords({ name, server, lead }: ToolWords): Omit<Fit, 'service'> {
    const request = this.#request
    if (request === undefined) return { agrees: 0, contradicts: 0, differs: 0, direction: 0, excluded: 0 }
    const actions = actionsIn(name, server, lead)
    const agrees = (actions & request.actions) !== 0
    const isOpposed = actions !== 0 && !agrees && (actions & ~this.#opposed) === 0
    const isOpposite = name.some((word) => request.opposites.has(word))
    let excluded = 0
    for (const word of request.excluded) if (name.includes(word) || server.has(word)) excluded++
    return {
      agrees: Number(agrees && !isOpposite),
      contradicts: Number(isOpposed || isOpposite),
      differs: Number(request.actions !== 0 && actions !== 0 && !agrees),
      direction: directionIn(name, request) || directionIn(lead, request),
      excluded: request.excluded.size === 0 ? 0 : excluded / request.excluded.size,
    }
  }

  #wordsOf(document: number): ToolWords {
    const { surfaces, vocabulary } = this.#corpus
    const { items } = surfaces
    const end = surfaces.start(document) + surfaces.length(document)
    const name: string[] = []
    const server = new Set<string>()
    const lead: string[] = []
    let field = 0
    for (let at = surfaces.start(document); at < end; at++) {
      const item = items[at] as number
      if (item < 0) {
        // The first part of a description is its first sentence.
        if (item < DESCRIPTION_MARK || (item === DESCRIPTION_MARK && lead.length > 0)) break
        field = item
        continue
      }
      const word = vocabulary.termText(vocabulary.termOf(item & ~WHOLE_FLAG))
      if (field === SERVER_MARK) server.add(word)
      else if ((item & WHOLE_FLAG) !== 0) continue
      else if (field === NAME_MARK) name.push(word)
      else if (field === DESCRIPTION_MARK) lead.push(word)
    }
    return { name, server, lead }
  }
}

/** The stems of a tool that tell what it does. */
interface ToolWords {
  readonly name: readonly string[]
  readonly server: ReadonlySet<string>
  readonly lead: readonly string[]
}

/** The kinds of all verbs in the name, and of the first one of the description. */
function actionsIn(name: readonly string[], server: ReadonlySet<string>, lead: readonly string[]): ActionBits {
  let actions = 0
  let isBeginning = true
  for (const word of name) {
    actions |= actionsOf(word, isBeginning)
    if (!server.has(word)) isBeginning = false
  }
  const opening = lead.slice(0, OPENING_WORDS)
  for (const [place, word] of opening.entries()) {
    const said = actionsOf(word, place === 0)
    if (said !== 0) return actions | said
  }
  return actions
}

function directionIn(words: readonly string[], { direction }: Request): number {
  if (direction === undefined) return 0
  const { from, to } = direction
  for (const [place, word] of words.entries()) {
    const isFrom = word === 'from'
    if (!isFrom && !MARKS.has(word)) continue
    const before = words.slice(Math.max(0, place - REACH), place)
    const after = words.slice(place + 1, place + 1 + REACH)
    const [source, target] = isFrom ? [after, before] : [before, after]
    const forward = source.some((one) => from.has(one)) && target.some((one) => to.has(one))
    const reverse = source.some((one) => to.has(one)) && target.some((one) => from.has(one))
    if (forward !== reverse) return forward ? 1 : -1
  }
  return 0
}
