import type { SavedReader, SavedWriter } from '../../../saved/saved-parts.ts'
import { tokeniseRanges } from '../../../text/tokenise.ts'
import type { IndexedTool } from '../../../tool/tool.ts'
import { GrowableInts } from './growable-ints.ts'
import { MOST_FIELD_CHARACTERS, SERVER_NAME_COUNT } from '../parameters.ts'
import type { UnpackedDocument } from './packed-document.ts'
import { PostingLists } from './posting-lists.ts'
import type { Vocabulary } from './vocabulary.ts'

/** The server of a tool that belongs to none. */
export const NO_SERVER = -1

interface KnownServer {
  readonly namespace: string
  readonly description: string | undefined
  readonly server: number
}

interface ServerEntry {
  readonly key: string
  readonly terms: readonly number[]
}

/**
 * Servers as documents of their own: the words of their name and description here, the words of their tools' names in
 * the tools' postings. The scorer adds the two, so that a filter that hides some tools of a server hides their words,
 * too.
 *
 * Tools of one namespace that come with different descriptions of it count as different servers: what a server says of
 * itself must not depend on which of its tools are visible.
 */
export class ServerTable {
  /** How often a server's own text (name and description) has a term. */
  readonly ownPostings = new PostingLists()
  /** Number of words of the own text, by server. */
  readonly ownLengths = new GrowableInts()
  /** Tools in the index, by server. */
  readonly toolCounts = new GrowableInts()
  /** Words of all tools' names, by server. */
  readonly nameLengths = new GrowableInts()
  readonly #vocabulary: Vocabulary
  readonly #idOf = new Map<string, number>()
  readonly #entries: (ServerEntry | undefined)[] = []
  readonly #free: number[] = []
  /** By term: how often the text at hand has it; all 0 between servers. */
  readonly #counts = new GrowableInts(1024)
  #totalLength = 0
  /** The server of the tool that was added last; forgotten when a tool goes. */
  #last: KnownServer | undefined

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
  }

  /** Words of all servers' documents: their own text and their tools' names. */
  get totalLength(): number {
    return this.#totalLength
  }

  /** One past the highest server number. */
  get size(): number {
    return this.#entries.length
  }

  /** Servers that have a tool. */
  get count(): number {
    return this.#idOf.size
  }

  /** The key that identifies a server; empty where no server has the number. */
  keyOf(server: number): string {
    return this.#entries[server]?.key ?? ''
  }

  /** Counts a tool in and answers the number of its server. */
  addTool(tool: IndexedTool, nameLength: number): number {
    const server = this.#serverOf(tool)
    return server === NO_SERVER ? NO_SERVER : this.#countIn(server, nameLength)
  }

  #countIn(server: number, nameLength: number): number {
    this.toolCounts.set(server, this.toolCounts.get(server) + 1)
    this.nameLengths.set(server, this.nameLengths.get(server) + nameLength)
    this.#totalLength += nameLength
    return server
  }

  /** The same for a tool whose server's words were read before. */
  addRead({ serverKey, serverStems }: Pick<UnpackedDocument, 'serverKey' | 'serverStems'>, nameLength: number): number {
    if (serverKey === '') return NO_SERVER
    const server =
      this.#idOf.get(serverKey) ??
      this.#addServer(
        serverKey,
        serverStems.map(([stem, count]) => [this.#vocabulary.internStem(stem), count]),
      )
    return this.#countIn(server, nameLength)
  }

  /** Counts a tool out; the server goes with its last one. */
  removeTool(server: number, nameLength: number): void {
    if (server === NO_SERVER) return
    this.#last = undefined
    this.toolCounts.set(server, this.toolCounts.get(server) - 1)
    this.nameLengths.set(server, this.nameLengths.get(server) - nameLength)
    this.#totalLength -= nameLength
    const entry = this.#entries[server]
    if (this.toolCounts.get(server) > 0 || entry === undefined) return
    for (const term of entry.terms) this.ownPostings.delete(term, server)
    this.#idOf.delete(entry.key)
    this.#entries[server] = undefined
    this.#totalLength -= this.ownLengths.get(server)
    this.ownLengths.set(server, 0)
    this.#free.push(server)
  }

  /** Writes all servers as parts of a saved index. */
  save(to: SavedWriter): void {
    to.json(
      'servers.entries',
      this.#entries.map((entry) => entry ?? null),
    )
    this.ownPostings.save(to, 'servers.ownPostings', this.#vocabulary.termCount)
    for (const [name, ints] of this.#counters()) to.numbers(name, ints.items.slice(0, this.size))
  }

  /** Takes over saved servers; the table must be empty. */
  restore(from: SavedReader): void {
    for (const [server, entry] of (from.json('servers.entries') as readonly (ServerEntry | null)[]).entries()) {
      this.#entries.push(entry ?? undefined)
      if (entry === null) this.#free.push(server)
      else this.#idOf.set(entry.key, server)
    }
    this.ownPostings.restore(from, 'servers.ownPostings')
    for (const [name, ints] of this.#counters()) ints.restore(from.ints(name))
    for (let server = 0; server < this.size; server++) {
      this.#totalLength += this.ownLengths.get(server) + this.nameLengths.get(server)
    }
  }

  #counters(): readonly (readonly [name: string, ints: GrowableInts])[] {
    return [
      ['servers.ownLengths', this.ownLengths],
      ['servers.toolCounts', this.toolCounts],
      ['servers.nameLengths', this.nameLengths],
    ]
  }

  /** Tools mostly come server by server: the key of a long description is made for the first of them only. */
  #serverOf(tool: IndexedTool): number {
    const last = this.#last
    if (last !== undefined && isOf(last, tool)) return last.server
    const key = serverKey(tool)
    if (key === undefined || tool.namespace === undefined) return NO_SERVER
    const { namespace, namespaceDescription: description } = tool
    const server = this.#idOf.get(key) ?? this.#addServer(key, this.wordsOf(namespace, description ?? ''))
    this.#last = { namespace, description, server }
    return server
  }

  /** The terms of a server's own text, and how often it has each. */
  wordsOf(name: string, description: string): readonly (readonly [term: number, count: number])[] {
    const terms: number[] = []
    const counts = this.#counts
    const read = (text: string, times: number): void =>
      tokeniseRanges(text, (source, start, end) => {
        const term = this.#vocabulary.termOf(this.#vocabulary.internRange(source, start, end))
        const before = counts.get(term)
        if (before === 0) terms.push(term)
        counts.set(term, before + times)
      })
    read(name, SERVER_NAME_COUNT)
    read(description.slice(0, MOST_FIELD_CHARACTERS), 1)
    return terms.map((term) => {
      const count = counts.get(term)
      counts.set(term, 0)
      return [term, count]
    })
  }

  #addServer(key: string, words: readonly (readonly [term: number, count: number])[]): number {
    const server = this.#free.pop() ?? this.#entries.length
    let length = 0
    for (const [term, count] of words) {
      this.ownPostings.set(term, server, count)
      length += count
    }
    this.ownLengths.set(server, length)
    this.#totalLength += length
    this.#entries[server] = { key, terms: words.map(([term]) => term) }
    this.#idOf.set(key, server)
    return server
  }
}

function isOf({ namespace, description }: KnownServer, tool: IndexedTool): boolean {
  return namespace === tool.namespace && description === tool.namespaceDescription
}

/** Tells servers apart: by name and what they say of themselves. Absent for a tool that belongs to none. */
function serverKey({ namespace, namespaceDescription = '' }: IndexedTool): string | undefined {
  return namespace === undefined ? undefined : `${namespace}\0${namespaceDescription}`
}
