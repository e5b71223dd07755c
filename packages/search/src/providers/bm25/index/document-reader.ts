import { schemaText } from '../../../tool/schema-text.ts'
import type { SearchField, IndexedTool } from '../../../tool/tool.ts'
import { tokeniseRanges } from '../../../text/tokenise.ts'
import { GrowableInts } from './growable-ints.ts'
import { FIELD_WEIGHT, LEAD_BONUS, MOST_FIELD_CHARACTERS } from '../parameters.ts'
import { fieldIn, isWholeIn, placeIn, type UnpackedDocument } from './packed-document.ts'
import { addOccurrence, FIELDS } from './posting.ts'
import type { Vocabulary } from './vocabulary.ts'

/** Set on a surface that is the second reading of those before it (a whole identifier): it takes no position. */
export const WHOLE_FLAG = 0x4000_0000

const LEAD_END = /[.!?](?=\s)|[。！？]|\n/

/**
 * Reads a tool into words. One reader per index, reused from tool to tool: the result is valid until the next tool.
 */
export class DocumentReader {
  /** The surfaces in reading order, `count` of them; -1-f opens field f and separates what is not adjacent. */
  readonly surfaces = new GrowableInts(1024)
  count = 0
  /** The distinct terms, `termCount` of them, and by term their posting. */
  readonly terms = new GrowableInts(1024)
  readonly postings = new GrowableInts(1024)
  termCount = 0
  /** Weighted number of words, in quarters. */
  length = 0
  /** Number of words of the name, the whole identifier included. */
  nameLength = 0
  readonly #vocabulary: Vocabulary
  /** The field that is being read, by number, and what a word of it counts. */
  #field = 0
  #weight = 0

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
  }

  read(tool: IndexedTool): void {
    this.#clear()
    this.#readField('name', tool.name)
    if (tool.title !== undefined) this.#readField('title', tool.title)
    if (tool.namespace !== undefined) this.#readField('server', tool.namespace)
    this.#readDescription(tool.description ?? '')
    const { names, details } = schemaText(tool.inputSchema)
    for (const text of names) this.#readField('parameters', text)
    for (const text of details) this.#readField('parameters', text)
    for (const tag of tool.tags ?? []) this.#readField('tags', tag)
  }

  /** Reads a document that was read before. */
  replay({ text, starts, items }: UnpackedDocument): void {
    this.#clear()
    const surfaces = new Int32Array(starts.length - 1)
    for (let place = 0; place < surfaces.length; place++) {
      surfaces[place] = this.#vocabulary.internRange(text, starts[place] as number, starts[place + 1] as number)
    }
    let isLead = true
    for (let i = 0; i < items.length; i++) {
      const item = items[i] as number
      const field = fieldIn(item)
      if (field === undefined) {
        this.#readSurface(surfaces[placeIn(item)] ?? 0, !isWholeIn(item))
        continue
      }
      // The first part of a description is its first sentence.
      const isDescription = FIELDS[field] === 'description'
      this.#openField(field, isDescription && isLead ? LEAD_BONUS : 0)
      if (isDescription) isLead = false
    }
  }

  #clear(): void {
    const postings = this.postings.items
    for (let i = 0; i < this.termCount; i++) postings[this.terms.get(i)] = 0
    this.count = 0
    this.termCount = 0
    this.length = 0
    this.nameLength = 0
  }

  #readDescription(description: string): void {
    if (description === '') return
    const text = description.slice(0, MOST_FIELD_CHARACTERS).trim()
    const end = text.search(LEAD_END)
    if (end < 0) return this.#readField('description', text, LEAD_BONUS)
    this.#readField('description', text.slice(0, end + 1), LEAD_BONUS)
    this.#readField('description', text.slice(end + 1))
  }

  #readField(field: SearchField, text: string, bonus = 0): void {
    this.#openField(FIELDS.indexOf(field), bonus)
    tokeniseRanges(text.length > MOST_FIELD_CHARACTERS ? text.slice(0, MOST_FIELD_CHARACTERS) : text, this.#readWord)
  }

  #openField(field: number, bonus: number): void {
    this.#field = field
    this.#weight = FIELD_WEIGHT[FIELDS[field] as SearchField] + bonus
    this.surfaces.set(this.count++, -1 - field)
  }

  /** One function for all fields of all tools: what is called most is made fast soonest. */
  readonly #readWord = (source: string, start: number, end: number, advances: boolean): void => {
    this.#readSurface(this.#vocabulary.internRange(source, start, end), advances)
  }

  #readSurface(surface: number, advances: boolean): void {
    this.surfaces.set(this.count++, advances ? surface : surface | WHOLE_FLAG)
    this.#count(this.#vocabulary.termOf(surface), this.#field, this.#weight)
  }

  #count(term: number, field: number, weight: number): void {
    const before = this.postings.get(term)
    if (before === 0) this.terms.set(this.termCount++, term)
    this.postings.set(term, addOccurrence(before, field, weight))
    this.length += weight
    if (field === 0) this.nameLength++
  }
}
