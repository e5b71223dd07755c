import { schemaText } from '../../schema-text.ts'
import type { SearchField } from '../../search-provider.ts'
import { tokenise } from '../../text/tokenise.ts'
import type { IndexedTool } from '../../tool.ts'
import { FIELD_WEIGHT, LEAD_BONUS, MOST_FIELD_CHARACTERS } from './parameters.ts'
import { Vocabulary } from './vocabulary.ts'

/** The fields in the order of their bits in a posting and of their parts in a document. */
export const FIELDS: readonly SearchField[] = ['name', 'title', 'server', 'description', 'parameters', 'tags']

// A posting's number: weighted frequency in the low 16 bits, then 6 bits of fields, then how often the name has the term.
export const MOST_FREQUENCY = 0xffff
const MOST_NAME_COUNT = 15
const FIELD_SHIFT = 16
export const NAME_SHIFT = 22

export const frequencyIn = (posting: number): number => posting & MOST_FREQUENCY
export const fieldBitsIn = (posting: number): number => (posting >>> FIELD_SHIFT) & 0x3f
export const nameCountIn = (posting: number): number => posting >>> NAME_SHIFT
export const bitOf = (field: SearchField): number => 1 << FIELDS.indexOf(field)

/** A tool as the index sees it. */
export interface Document {
  readonly tool: IndexedTool
  /**
   * The surfaces in reading order. A negative number -1-f opens field f and separates what is not adjacent. The whole of
   * a split identifier is not in here: it takes no position.
   */
  readonly surfaces: Int32Array
  /** Its terms and, at the same places, their postings. */
  readonly terms: Int32Array
  readonly postings: Int32Array
  /** Weighted number of words, in quarters. */
  readonly length: number
  /** Number of words of the name, the whole identifier included. */
  readonly nameLength: number
}

const LEAD_END = /[.!?](?=\s)|[。！？]|\n/

/** Reads tools into documents. One reader per index: it reuses its counters between tools. */
export class DocumentReader {
  readonly #vocabulary: Vocabulary
  readonly #postingOf = new Map<number, number>()
  #surfaces: number[] = []
  #length = 0
  #nameLength = 0

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
  }

  read(tool: IndexedTool): Document {
    this.#postingOf.clear()
    this.#surfaces = []
    this.#length = 0
    this.#nameLength = 0
    this.#readField('name', tool.name)
    if (tool.title !== undefined) this.#readField('title', tool.title)
    if (tool.namespace !== undefined) this.#readField('server', tool.namespace)
    this.#readDescription(tool.description ?? '')
    const { names, details } = schemaText(tool.inputSchema)
    for (const text of names) this.#readField('parameters', text)
    for (const text of details) this.#readField('parameters', text)
    for (const tag of tool.tags ?? []) this.#readField('tags', tag)
    return {
      tool,
      surfaces: Int32Array.from(this.#surfaces),
      terms: Int32Array.from(this.#postingOf.keys()),
      postings: Int32Array.from(this.#postingOf.values()),
      length: this.#length,
      nameLength: this.#nameLength,
    }
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
    const number = FIELDS.indexOf(field)
    const weight = FIELD_WEIGHT[field] + bonus
    const increment = weight | (1 << (FIELD_SHIFT + number))
    this.#surfaces.push(-1 - number)
    tokenise(text.length > MOST_FIELD_CHARACTERS ? text.slice(0, MOST_FIELD_CHARACTERS) : text, (token, advances) => {
      const surface = this.#vocabulary.intern(token)
      const term = this.#vocabulary.termOf(surface)
      if (advances) this.#surfaces.push(surface)
      this.#postingOf.set(term, joinPostings(this.#postingOf.get(term) ?? 0, increment, field === 'name'))
      this.#length += weight
      if (field === 'name') this.#nameLength++
    })
  }
}

function joinPostings(posting: number, increment: number, isName: boolean): number {
  const frequency = Math.min(MOST_FREQUENCY, frequencyIn(posting) + frequencyIn(increment))
  const nameCount = Math.min(MOST_NAME_COUNT, nameCountIn(posting) + (isName ? 1 : 0))
  const fields = fieldBitsIn(posting) | fieldBitsIn(increment)
  return frequency | (fields << FIELD_SHIFT) | (nameCount << NAME_SHIFT)
}

/** Calls `visit` with every positioned surface of a document and the bit of its field. */
export function eachSurface(document: Document, visit: (surface: number, fieldBit: number) => void): void {
  let bit = 0
  for (const surface of document.surfaces) {
    if (surface < 0) bit = 1 << (-1 - surface)
    else visit(surface, bit)
  }
}
