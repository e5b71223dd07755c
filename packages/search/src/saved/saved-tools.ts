import { snapshotJson } from '../tool/json-snapshot.ts'
import type { IndexedTool } from '../tool/tool.ts'
import { invalidSaved, startsOf, type SavedReader, type SavedWriter } from './saved-parts.ts'

/** The tools that a saved index was made of, by id. */
export interface SavedTools {
  readonly size: number
  has(id: string): boolean
  /** Only for ids that it has. */
  get(id: string): IndexedTool
}

/** Writes tools as parts of a saved index, in the order given. */
export function saveTools(to: SavedWriter, tools: readonly IndexedTool[]): void {
  const encoder = new TextEncoder()
  const texts = tools.map((tool) => encoder.encode(JSON.stringify(tool)))
  const lengths = Int32Array.from(texts, (text) => text.length)
  const bytes = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0))
  for (const [nth, start] of startsOf(lengths).entries()) bytes.set(texts[nth] ?? [], start)
  to.json(
    'tools.ids',
    tools.map(({ id }) => id),
  )
  const namespaces = [...new Set(tools.flatMap(({ namespace }) => namespace ?? []))]
  const numbers = new Map(namespaces.map((namespace, number) => [namespace, number]))
  to.json('tools.namespaces', namespaces)
  to.numbers(
    'tools.namespaceOf',
    Int32Array.from(tools, ({ namespace = '' }) => numbers.get(namespace) ?? -1),
  )
  to.numbers('tools.lengths', lengths)
  to.bytes('tools.texts', bytes)
}

/**
 * Saved tools. A definition is parsed when it is first needed: parsing all of a large catalog takes longer than loading
 * everything else.
 */
export class LoadedTools implements SavedTools {
  readonly ids: readonly string[]
  readonly #namespaces: readonly string[]
  readonly #namespaceOf: Int32Array
  readonly #places: ReadonlyMap<string, number>
  readonly #starts: Int32Array
  readonly #lengths: Int32Array
  readonly #texts: Uint8Array
  readonly #read: (IndexedTool | undefined)[] = []
  readonly #decoder = new TextDecoder()

  constructor(from: SavedReader) {
    this.ids = from.json('tools.ids') as readonly string[]
    this.#places = new Map(this.ids.map((id, place) => [id, place]))
    this.#namespaces = from.json('tools.namespaces') as readonly string[]
    this.#namespaceOf = from.ints('tools.namespaceOf')
    this.#lengths = from.ints('tools.lengths')
    this.#starts = startsOf(this.#lengths)
    // A copy: the parts that were taken over by others need not stay in memory.
    this.#texts = from.bytes('tools.texts').slice()
  }

  get size(): number {
    return this.ids.length
  }

  /** The namespace of the tool at a place of `ids`. */
  namespaceAt(place: number): string | undefined {
    return this.#namespaces[this.#namespaceOf[place] as number]
  }

  has(id: string): boolean {
    return this.#places.has(id)
  }

  get(id: string): IndexedTool {
    const place = this.#places.get(id)
    if (place === undefined) throw invalidSaved(`it has no tool ${id}`)
    const known = this.#read[place] ?? this.#parse(place)
    this.#read[place] = known
    return known
  }

  #parse(place: number): IndexedTool {
    const start = this.#starts[place] as number
    const text = this.#decoder.decode(this.#texts.subarray(start, start + (this.#lengths[place] as number)))
    const tool = snapshotJson(JSON.parse(text), (reason) => {
      throw invalidSaved(reason)
    })
    return tool as unknown as IndexedTool
  }
}
