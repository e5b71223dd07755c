interface Chunk<Value> {
  readonly keys: string[]
  readonly values: Value[]
  /** The value at an index, without making the others; absent where all are there. */
  valueAt?(at: number): Value
}

/** Work that can pause after each step. */
export type MapSteps<Result> = Generator<undefined, Result, undefined>

const LONGEST_CHUNK = 512
/** Entries that are sorted in one step. */
const ENTRIES_A_RANGE = 1_024
const KEYS_A_BOUND = 8

/**
 * An immutable map in the order of its keys. A changed copy shares its chunks with the original, so that one change among
 * 100,000 entries copies a few hundred, and the difference between two copies is found without a look at the rest.
 */
export class SortedMap<Value> implements ReadonlyMap<string, Value> {
  readonly size: number
  readonly #chunks: readonly Chunk<Value>[]

  private constructor(chunks: readonly Chunk<Value>[]) {
    this.#chunks = chunks
    this.size = chunks.reduce((sum, { keys }) => sum + keys.length, 0)
  }

  /** Of two entries with the same key, the last one counts. */
  static of<Value>(entries: Iterable<readonly [string, Value]> = []): SortedMap<Value> {
    if (entries instanceof SortedMap) return entries as SortedMap<Value>
    return new SortedMap(chunksOf([...entries]))
  }

  /** Like `of`, in steps: to sort 100,000 entries at once would block the process. */
  static *steps<Value>(values: readonly Value[], keyOf: (value: Value) => string): MapSteps<SortedMap<Value>> {
    const bounds = boundsOf(values, keyOf)
    const ranges = Array.from({ length: bounds.length + 1 }, (): Chunk<Value> => ({ keys: [], values: [] }))
    for (let at = 0; at < values.length; at++) {
      const value = values[at] as Value
      const key = keyOf(value)
      const range = ranges[placeAfter(bounds, key)]
      range?.keys.push(key)
      range?.values.push(value)
      if (at % ENTRIES_A_RANGE === 0) yield
    }
    const chunks: Chunk<Value>[] = []
    for (const range of ranges) {
      const isInOrder = range.keys.every((key, at) => at === 0 || (range.keys[at - 1] ?? '') < key)
      chunks.push(
        ...(isInOrder ? chunksInOrder(range) : chunksOf(range.keys.map((key, at) => [key, range.values[at] as Value]))),
      )
      yield
    }
    return new SortedMap(chunks)
  }

  /** A map of the same keys. Each value is made from that of this one when it is looked up, or some hundred when a copy changes. */
  mapped<Made>(make: (value: Value) => Made): SortedMap<Made> {
    return new SortedMap(this.#chunks.map((chunk) => new MappedChunk(chunk, make)))
  }

  get(key: string): Value | undefined {
    const chunk = this.#chunks[chunkOf(this.#chunks, key)]
    if (chunk === undefined) return undefined
    const at = placeOf(chunk.keys, key)
    if (chunk.keys[at] !== key) return undefined
    return chunk.valueAt === undefined ? chunk.values[at] : chunk.valueAt(at)
  }

  has(key: string): boolean {
    const chunk = this.#chunks[chunkOf(this.#chunks, key)]
    return chunk !== undefined && chunk.keys[placeOf(chunk.keys, key)] === key
  }

  /** A copy with these entries; `undefined` removes the entry of a key. */
  with(changes: Iterable<readonly [string, Value | undefined]>): SortedMap<Value> {
    const chunks = [...this.#chunks]
    const own = new Set<Chunk<Value>>()
    for (const [key, value] of changes) {
      const at = Math.max(0, chunkOf(chunks, key))
      const shared = chunks[at] ?? { keys: [], values: [] }
      const chunk = own.has(shared) ? shared : { keys: [...shared.keys], values: [...shared.values] }
      own.add(chunk)
      chunks[at] = chunk
      put(chunk, key, value)
      if (chunk.keys.length === 0) chunks.splice(at, 1)
      if (chunk.keys.length <= LONGEST_CHUNK) continue
      const half = chunk.keys.length >> 1
      const upper = { keys: chunk.keys.splice(half), values: chunk.values.splice(half) }
      own.add(upper)
      chunks.splice(at + 1, 0, upper)
    }
    return own.size === 0 ? this : new SortedMap(chunks)
  }

  /** The keys whose values are not the same in both maps, in no particular order. */
  changedSince(before: SortedMap<Value>): ReadonlySet<string> {
    const known = new Set(before.#chunks)
    const kept = new Set(this.#chunks)
    const changed = new Set<string>()
    for (const { keys, values } of this.#chunks.filter((chunk) => !known.has(chunk))) {
      for (const [at, key] of keys.entries()) {
        if (before.get(key) !== values[at] || !before.has(key)) changed.add(key)
      }
    }
    for (const { keys } of before.#chunks.filter((chunk) => !kept.has(chunk))) {
      for (const key of keys) if (!this.has(key)) changed.add(key)
    }
    return changed
  }

  /** The entries whose keys come after this one. */
  *after(key: string): IterableIterator<[string, Value]> {
    for (let index = Math.max(0, chunkOf(this.#chunks, key)); index < this.#chunks.length; index++) {
      const { keys = [], values = [] } = this.#chunks[index] ?? {}
      for (const [at, each] of keys.entries()) if (each > key) yield [each, values[at] as Value]
    }
  }

  *entries(): Generator<[string, Value], undefined, unknown> {
    for (const { keys, values } of this.#chunks) {
      for (const [at, key] of keys.entries()) yield [key, values[at] as Value]
    }
    return undefined
  }

  *keys(): Generator<string, undefined, unknown> {
    for (const { keys } of this.#chunks) yield* keys
    return undefined
  }

  *values(): Generator<Value, undefined, unknown> {
    for (const { values } of this.#chunks) yield* values
    return undefined
  }

  forEach(visit: (value: Value, key: string, map: ReadonlyMap<string, Value>) => void): void {
    for (const [key, value] of this.entries()) visit(value, key, this)
  }

  [Symbol.iterator](): Generator<[string, Value], undefined, unknown> {
    return this.entries()
  }
}

class MappedChunk<Source, Value> implements Chunk<Value> {
  readonly keys: string[]
  readonly #source: Chunk<Source>
  readonly #make: (value: Source) => Value
  readonly #made = new Map<number, Value>()
  #values: Value[] | undefined

  constructor(source: Chunk<Source>, make: (value: Source) => Value) {
    this.keys = source.keys
    this.#source = source
    this.#make = make
  }

  get values(): Value[] {
    this.#values ??= this.keys.map((_, at) => this.valueAt(at))
    this.#made.clear()
    return this.#values
  }

  valueAt(at: number): Value {
    const known = this.#values === undefined ? this.#made.get(at) : this.#values[at]
    if (known !== undefined) return known
    const made = this.#make(this.#source.values[at] as Source)
    this.#made.set(at, made)
    return made
  }
}

function chunksOf<Value>(entries: readonly (readonly [string, Value])[]): Chunk<Value>[] {
  const byKey = new Map(entries)
  // By code units, like `<`. Without a function to compare it is several times as fast.
  const sorted = [...byKey.keys()].sort()
  return chunksInOrder({ keys: sorted, values: sorted.map((key) => byKey.get(key) as Value) })
}

function chunksInOrder<Value>({ keys, values }: Chunk<Value>): Chunk<Value>[] {
  // Half full, so that the first additions do not split every chunk.
  const length = LONGEST_CHUNK / 2
  return Array.from({ length: Math.ceil(keys.length / length) }, (_, nth) => ({
    keys: keys.slice(nth * length, (nth + 1) * length),
    values: values.slice(nth * length, (nth + 1) * length),
  }))
}

/** Keys that divide values into ranges of about the same size, judged by a sample. */
function boundsOf<Value>(values: readonly Value[], keyOf: (value: Value) => string): readonly string[] {
  const ranges = Math.ceil(values.length / ENTRIES_A_RANGE)
  const sampled = ranges * KEYS_A_BOUND
  const sample = Array.from({ length: sampled }, (_, at) => values[Math.floor((at * values.length) / sampled)] as Value)
  const keys = sample.map(keyOf).sort()
  const bounds = Array.from({ length: ranges }, (_, at) => keys[at * KEYS_A_BOUND] ?? '').slice(1)
  return [...new Set(bounds)]
}

function put<Value>({ keys, values }: Chunk<Value>, key: string, value: Value | undefined): void {
  const at = placeOf(keys, key)
  const isThere = keys[at] === key
  if (value === undefined) {
    if (!isThere) return
    keys.splice(at, 1)
    values.splice(at, 1)
  } else if (isThere) values[at] = value
  else {
    keys.splice(at, 0, key)
    values.splice(at, 0, value)
  }
}

/** The index of the last chunk that begins at or before the key; -1 if all begin after it. */
function chunkOf(chunks: readonly Chunk<unknown>[], key: string): number {
  let [low, high] = [0, chunks.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((chunks[middle]?.keys[0] ?? '') <= key) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** The index of the first key that is not before this one. */
function placeOf(keys: readonly string[], key: string): number {
  let [low, high] = [0, keys.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((keys[middle] ?? '') < key) low = middle + 1
    else high = middle
  }
  return low
}

/** How many of the sorted keys are not after this one. */
function placeAfter(keys: readonly string[], key: string): number {
  const at = placeOf(keys, key)
  return keys[at] === key ? at + 1 : at
}

/** The keys whose values are not the same in both maps. */
export function changedKeys<Value>(
  now: ReadonlyMap<string, Value>,
  before: ReadonlyMap<string, Value>,
): ReadonlySet<string> {
  if (now === before) return new Set()
  if (now instanceof SortedMap && before instanceof SortedMap) {
    return (now as SortedMap<Value>).changedSince(before as SortedMap<Value>)
  }
  const keys = [...now.keys(), ...before.keys()]
  return new Set(keys.filter((key) => now.get(key) !== before.get(key) || now.has(key) !== before.has(key)))
}
