import { termKeyOf } from './database-text.ts'
import type { Session } from './session.ts'
import type { Tables } from './tables.ts'
import { PACKED, type TermPostings, unpack } from './term-postings.ts'

/** The words of a server's own text, and of its tools' names. */
export interface ServerLengths {
  readonly own: number
  readonly names: number
}

/** What was read of one version of the index. */
interface Generation {
  readonly version: number
  /** By key; the one that was asked for longest ago comes first. */
  readonly terms: Map<string, TermPostings>
  readonly servers: Map<number, ServerLengths>
  size: number
}

/** Some 24 bytes each. */
const MOST_POSTINGS = 1_000_000
/** What a term takes besides its postings. */
const SIZE_OF_TERM = 20
const MOST_SERVERS = 100_000

/** The postings of words that were asked for lately, as long as the index is unchanged. Bounded, whatever is asked. */
export class WordCache {
  readonly #indexId: number
  readonly #tables: Tables
  readonly #mostPostings: number
  #generation: Generation = generationOf(-1)

  constructor(indexId: number, tables: Tables, mostPostings = MOST_POSTINGS) {
    this.#indexId = indexId
    this.#tables = tables
    this.#mostPostings = mostPostings
  }

  /** The postings of stems, by stem, as of `version`, which must be what the session sees. */
  async postings(session: Session, version: number, stems: Iterable<string>): Promise<Map<string, TermPostings>> {
    const generation = this.#of(version)
    const keys = new Map(Array.from(new Set(stems), (stem) => [stem, termKeyOf(stem)]))
    const missing = [...new Set(keys.values())].filter((key) => !generation.terms.has(key))
    const read = missing.length === 0 ? new Map<string, TermPostings>() : await this.#read(session, missing)
    const found = new Map<string, TermPostings>()
    for (const [stem, key] of keys) {
      const postings = read.get(key) ?? generation.terms.get(key)
      if (postings === undefined) continue
      found.set(stem, postings)
      this.#keep(generation, key, postings)
    }
    return found
  }

  /** How long servers are, by number. */
  async servers(
    session: Session,
    version: number,
    numbers: Iterable<number>,
  ): Promise<ReadonlyMap<number, ServerLengths>> {
    const { servers } = this.#of(version)
    const missing = [...new Set(numbers)].filter((number) => !servers.has(number))
    if (missing.length === 0) return servers
    if (servers.size + missing.length > MOST_SERVERS) servers.clear()
    const rows = await session.rows<{ number: number; own: number; names: number }>(
      `select number, length as own, name_length as names from ${this.#tables.servers} where number = any($1)`,
      [servers.size === 0 ? [...new Set(numbers)] : missing],
    )
    for (const { number, own, names } of rows) servers.set(number, { own, names })
    return servers
  }

  /** A search that began before a change reads what it sees, and leaves nothing behind. */
  #of(version: number): Generation {
    if (version === this.#generation.version) return this.#generation
    const generation = generationOf(version)
    if (version > this.#generation.version) this.#generation = generation
    return generation
  }

  async #read(session: Session, keys: readonly string[]): Promise<Map<string, TermPostings>> {
    const { postings, serverPostings } = this.#tables
    const packed = await session.rows<{ term: string; packed: Buffer }>(
      `select term, ${PACKED} as packed from ${postings} where index_id = $1 and term = any($2) group by term`,
      [this.#indexId, keys],
    )
    const rows = await session.rows<{ term: string; server: number; count: number }>(
      `select term, server, count from ${serverPostings} where index_id = $1 and term = any($2)`,
      [this.#indexId, keys],
    )
    const said = Map.groupBy(rows, ({ term }) => term)
    const bytes = new Map(packed.map((row) => [row.term, row.packed]))
    return new Map(
      keys.map((key) => {
        const servers = new Map((said.get(key) ?? []).map(({ server, count }) => [server, count]))
        return [key, unpack(bytes.get(key) ?? Buffer.alloc(0), servers)]
      }),
    )
  }

  #keep(generation: Generation, key: string, postings: TermPostings): void {
    const { terms } = generation
    if (!terms.delete(key)) generation.size += sizeOf(postings)
    terms.set(key, postings)
    for (const [oldest, old] of terms) {
      if (generation.size <= this.#mostPostings) return
      terms.delete(oldest)
      generation.size -= sizeOf(old)
    }
  }
}

function generationOf(version: number): Generation {
  return { version, terms: new Map(), servers: new Map(), size: 0 }
}

function sizeOf({ count, said }: TermPostings): number {
  return count + said.size + SIZE_OF_TERM
}
