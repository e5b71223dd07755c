import { GrowableInts } from '../providers/bm25/index/growable-ints.ts'
import { IntSlices } from '../providers/bm25/index/int-slices.ts'
import type { SavedReader, SavedWriter } from '../saved/saved-parts.ts'

/** So many servers may change before they are written back: each takes some kilobytes until then. */
const MOST_CHANGING = 1_000
const [LEAST_SHORT, MOST_SHORT] = [-(2 ** 15), 2 ** 15 - 1]

/** A server whose tools change. */
export interface ChangingServer {
  tools: number
  nameLength: number
  /** By stem, how often the server's own text and its tools' names have it. */
  readonly counts: Map<number, number>
  /** The vectors of its tools, added; empty where they have none. */
  sum: Int32Array
}

/**
 * What is known of each server, by its key. There may be a hundred thousand of them with a few tools each: the numbers are
 * in arrays that all share, and the sums of vectors in 16 bits where they fit.
 */
export class ServerFigures {
  readonly #numbers = new Map<string, number>()
  readonly #free: number[] = []
  readonly #tools = new GrowableInts()
  readonly #nameLengths = new GrowableInts()
  readonly #ownLengths = new GrowableInts()
  /** Stems by number, in order, each followed by its count. */
  readonly #counts = new IntSlices()
  readonly #sums = new IntSlices()
  readonly #changing = new Map<string, ChangingServer>()
  /** Of the vectors; 0 while there are none. */
  #dimensions = 0

  get size(): number {
    return this.#numbers.size
  }

  /** Servers have to be written back before others change. */
  get areMany(): boolean {
    return this.#changing.size >= MOST_CHANGING
  }

  /** Length of the server's own text. */
  ownLength(key: string): number {
    return this.#of(key, this.#ownLengths)
  }

  tools(key: string): number {
    return this.#of(key, this.#tools)
  }

  nameLength(key: string): number {
    return this.#of(key, this.#nameLengths)
  }

  /** How often the server's own text and its tools' names have a stem. */
  count(key: string, stem: number): number {
    const number = this.#numbers.get(key)
    if (number === undefined) return 0
    const { items } = this.#counts
    const start = this.#counts.start(number)
    let [low, high] = [0, this.#counts.length(number) / 2]
    const end = high
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((items[start + 2 * middle] as number) < stem) low = middle + 1
      else high = middle
    }
    const at = start + 2 * low
    return low < end && items[at] === stem ? (items[at + 1] as number) : 0
  }

  /** The vectors of the server's tools, added; empty where they have none. */
  sum(key: string): Int16Array | Int32Array {
    const number = this.#numbers.get(key)
    const list = this.#sums.get(number ?? -1)
    return list.length < this.#dimensions ? shortsIn(list, this.#dimensions) : list
  }

  /** Adds a server without tools. */
  add(key: string, counts: ReadonlyMap<number, number>, ownLength: number): ChangingServer {
    const number = this.#free.pop() ?? this.#numbers.size
    this.#numbers.set(key, number)
    this.#ownLengths.set(number, ownLength)
    const server = { tools: 0, nameLength: 0, counts: new Map(counts), sum: new Int32Array(0) }
    this.#changing.set(key, server)
    return server
  }

  /** The server to change; `begun` for one that did not change since all were written back. */
  changing(key: string, begun: (server: ChangingServer) => void): ChangingServer | undefined {
    const known = this.#changing.get(key)
    const number = this.#numbers.get(key)
    if (known !== undefined || number === undefined) return known
    const counts = new Map<number, number>()
    const pairs = this.#counts.get(number)
    for (let at = 0; at < pairs.length; at += 2) counts.set(pairs[at] as number, pairs[at + 1] as number)
    const [tools, nameLength] = [this.#tools.get(number), this.#nameLengths.get(number)]
    const server = { tools, nameLength, counts, sum: Int32Array.from(this.sum(key)) }
    this.#changing.set(key, server)
    begun(server)
    return server
  }

  remove(key: string): void {
    const number = this.#numbers.get(key)
    if (number === undefined) return
    for (const ints of [this.#tools, this.#nameLengths, this.#ownLengths]) ints.set(number, 0)
    this.#counts.delete(number)
    this.#sums.delete(number)
    this.#free.push(number)
    this.#numbers.delete(key)
    this.#changing.delete(key)
  }

  /** Writes all servers back that changed, and says which. */
  settle(ended: (server: ChangingServer) => void): void {
    for (const [key, server] of this.#changing) {
      const number = this.#numbers.get(key) as number
      const { tools, nameLength, sum } = server
      this.#tools.set(number, tools)
      this.#nameLengths.set(number, nameLength)
      const counts = inOrder(server.counts)
      this.#counts.set(number, counts, counts.length)
      this.#dimensions = Math.max(this.#dimensions, sum.length)
      const stored = shortened(sum)
      this.#sums.set(number, stored, stored.length)
      ended(server)
    }
    this.#changing.clear()
  }

  /** Writes the servers as parts of saved figures; all must have been written back. */
  save(to: SavedWriter): void {
    const keys: (string | null)[] = []
    for (const [key, number] of this.#numbers) keys[number] = key
    for (const number of this.#free) keys[number] = null
    to.json('servers', { keys, dimensions: this.#dimensions })
    for (const [name, ints] of this.#columns())
      to.numbers(
        name,
        Int32Array.from(keys, (_, number) => ints.get(number)),
      )
    this.#counts.save(to, 'servers.counts', keys.length)
    this.#sums.save(to, 'servers.sums', keys.length)
  }

  /** Takes over saved servers; there must be none. */
  restore(from: SavedReader): void {
    const { keys, dimensions } = from.json('servers') as { keys: readonly (string | null)[]; dimensions: number }
    this.#dimensions = dimensions
    for (const [number, key] of keys.entries()) {
      if (key === null) this.#free.push(number)
      else this.#numbers.set(key, number)
    }
    for (const [name, ints] of this.#columns()) ints.restore(from.ints(name))
    this.#counts.restore(from, 'servers.counts')
    this.#sums.restore(from, 'servers.sums')
  }

  #columns(): readonly (readonly [name: string, ints: GrowableInts])[] {
    return [
      ['servers.tools', this.#tools],
      ['servers.nameLengths', this.#nameLengths],
      ['servers.ownLengths', this.#ownLengths],
    ]
  }

  #of(key: string, ints: GrowableInts): number {
    const number = this.#numbers.get(key)
    return number === undefined ? 0 : ints.get(number)
  }
}

function inOrder(counts: ReadonlyMap<number, number>): Int32Array {
  return Int32Array.from([...counts].toSorted(([one], [other]) => one - other).flat())
}

/** The same numbers in half of the room, two in one, where all of them fit. */
function shortened(sum: Int32Array): Int32Array {
  if (sum.length < 2 || sum.some((value) => value < LEAST_SHORT || value > MOST_SHORT)) return sum
  const list = new Int32Array((sum.length + 1) >> 1)
  shortsIn(list, sum.length).set(sum)
  return list
}

function shortsIn(list: Int32Array, length: number): Int16Array {
  return new Int16Array(list.buffer, list.byteOffset, Math.min(length, 2 * list.length))
}
