import { snapshotJson } from '../tool/json-snapshot.ts'
import type { IndexedTool } from '../tool/tool.ts'
import { invalidSaved, startsOf, type SavedReader, type SavedWriter } from './saved-parts.ts'

/** The tools that a saved index was made of, by place. */
export interface SavedTools {
  /** By place. */
  readonly ids: readonly string[]
  placeOf(id: string): number | undefined
  /** Only for places that `ids` has. */
  at(place: number): IndexedTool
}

/** Writes tools as parts of a saved index, in the order given. */
export function saveTools(to: SavedWriter, tools: readonly IndexedTool[]): void {
  const encoder = new TextEncoder()
  const texts = tools.map((tool) => encoder.encode(JSON.stringify(tool)))
  const lengths = Int32Array.from(texts, (text) => text.length)
  const bytes = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0))
  for (const [nth, start] of startsOf(lengths).entries()) bytes.set(texts[nth] ?? [], start)
  const ids = tools.map(({ id }) => id)
  to.json('tools.ids', ids)
  to.places = new Map(ids.map((id, place) => [id, place]))
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
    this.#texts = from.bytes('tools.texts')
  }

  /** The namespace of the tool at a place of `ids`. */
  namespaceAt(place: number): string | undefined {
    return this.#namespaces[this.#namespaceOf[place] as number]
  }

  placeOf(id: string): number | undefined {
    return this.#places.get(id)
  }

  at(place: number): IndexedTool {
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
