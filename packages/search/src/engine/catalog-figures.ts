import { rarity } from '../providers/bm25/index/frequency.ts'
import { GrowableInts } from '../providers/bm25/index/growable-ints.ts'
import { packedServerKey, type UnpackedDocument, unpackDocument } from '../providers/bm25/index/packed-document.ts'
import { bitOf, fieldBitsIn, frequencyIn, nameCountIn } from '../providers/bm25/index/posting.ts'
import { NO_WORD, WordTable } from '../providers/bm25/index/word-table.ts'
import { WordsByLetter } from '../providers/bm25/index/words-by-letter.ts'
import type { ServerStatistics, StemStatistics } from '../providers/bm25/index/word-statistics.ts'
import { typoCorrections } from '../providers/bm25/query/typo-corrections.ts'
import { SavedReader, SavedWriter } from '../saved/saved-parts.ts'
import type { AnalysedTool, CatalogStatistics, Wanted, WantedStem } from './catalog-engine.ts'
import { type ChangingServer, ServerFigures } from './server-figures.ts'
import { ToolReader, type ToolText } from './tool-reader.ts'
import { directionOf, meanCosines, VectorFigures } from './vector-figures.ts'

/** Of the words that begin as a query says, so many are looked for. */
const MOST_BEGINNINGS = 20
const SERVER_BIT = bitOf('server')

/**
 * The numbers of a catalog: how common its words are, how long its texts, how its vectors are spread. Kept in step with
 * every change, and small beside the tools: an engine that finds tools on a disk keeps these in memory.
 */
export class CatalogFigures {
  readonly #stems = new WordTable()
  readonly #stemsByLetter = new WordsByLetter((stem) => this.#stems.word(stem))
  /** By stem. */
  readonly #tools = new GrowableInts(1024)
  readonly #inServerName = new GrowableInts(1024)
  readonly #occurrences = new GrowableInts(1024)
  readonly #serversWith = new GrowableInts(1024)
  readonly #servers = new ServerFigures()
  /** By the id of the server its number. None ever goes, so that its number stays its own. */
  readonly #ids = new Map<string, number>()
  /** By that number. */
  readonly #toolsOfIds = new GrowableInts()
  readonly #reader = new ToolReader()
  /** Our numbers of stems by those of the reader, which tools share; 0 is unknown, others are one more. */
  #numbers = new GrowableInts(1024)
  #numbersOf: object | undefined
  #vectors: VectorFigures | undefined
  #count = 0
  #totalLength = 0
  #totalServerLength = 0

  /** Tools in the catalog. */
  get count(): number {
    return this.#count
  }

  /** Tools of a server. */
  toolsOf(server: string): number {
    const number = this.#ids.get(server)
    return number === undefined ? 0 : this.#toolsOfIds.get(number)
  }

  /** Servers that the catalog has or had. */
  get serverCount(): number {
    return this.#ids.size
  }

  /**
   * The number of a server, from 0 on, for engines that filter by numbers: smaller than a name and faster to compare. It is
   * given by the order in which servers first have a tool, and stays.
   */
  serverNumber(server: string): number | undefined {
    return this.#ids.get(server)
  }

  add(tool: AnalysedTool): void {
    this.#change(tool, unpackDocument(tool.terms), 1)
  }

  /** Counts a tool in, and says what an engine finds it by: the tool is read once for both. */
  addRead(tool: AnalysedTool): ToolText {
    const document = unpackDocument(tool.terms)
    this.#change(tool, document, 1)
    return this.#reader.textOf(document)
  }

  /** Takes a tool out, as it was put in. */
  remove(tool: AnalysedTool): void {
    this.#change(tool, unpackDocument(tool.terms), -1)
  }

  /**
   * The stems to look for, the weightiest first: those of the query that tools have, the words that it begins, and what
   * a word may be that no tool has.
   */
  lookUps({ words, prefixes }: Pick<Wanted, 'words' | 'prefixes'>): readonly WantedStem[] {
    const found = new Map<string, WantedStem & { readonly worth: number }>()
    const offer = (stem: string, weight: number, said: boolean): void => {
      const tools = this.#toolsWith(stem)
      const worth = weight * rarity(tools, this.#count)
      const known = found.get(stem)
      if (tools === 0 || (known !== undefined && known.worth >= worth && (known.said || !said))) return
      found.set(stem, { stem, weight, said: said || known?.said === true, worth: Math.max(worth, known?.worth ?? 0) })
    }
    for (const { stem, weight, said, word } of words) {
      offer(stem, weight, said)
      if (word === undefined || this.#toolsWith(stem) > 0) continue
      for (const meant of this.#likelyStems(word)) offer(meant, weight, said)
    }
    for (const prefix of prefixes) for (const stem of this.#beginningWith(prefix)) offer(stem, 1, true)
    return [...found.values()].toSorted((a, b) => b.worth - a.worth)
  }

  /** The statistics that a query and the tools found for it need. */
  statisticsFor(wanted: Wanted, stems: readonly WantedStem[], tools: readonly AnalysedTool[]): CatalogStatistics {
    this.#settle()
    const asked = new Map([...wanted.words, ...stems].map(({ stem }) => [stem, this.#stems.find(stem, 0, stem.length)]))
    const keys = new Set(tools.map(({ terms }) => packedServerKey(terms)))
    keys.delete('')
    const words = {
      count: this.#count,
      averageLength: average(this.#totalLength, this.#count),
      serverCount: this.#servers.size,
      averageServerLength: average(this.#totalServerLength, this.#servers.size),
      stems: new Map(Array.from(asked, ([stem, number]) => [stem, this.#stemStatistics(number)])),
      servers: new Map(Array.from(keys, (key) => [key, this.#serverStatistics(key, asked)])),
    }
    const units = wanted.vectors.map(directionOf)
    const vectors = this.#vectors
    if (vectors === undefined || units.length === 0 || units[0]?.length !== vectors.dimensions) return { words }
    const ofServer = new Map<string, Float64Array>()
    for (const key of keys) {
      const sum = this.#servers.sum(key)
      if (sum.length > 0) ofServer.set(key, meanCosines(sum, this.#servers.tools(key), units))
    }
    return {
      words,
      meaning: { tools: vectors.ofTools(units, this.#count), servers: vectors.ofServers(units), ofServer },
    }
  }

  /** Everything as bytes for `restore`. */
  save(): Uint8Array {
    this.#settle()
    const to = new SavedWriter()
    to.json('figures', { count: this.#count, length: this.#totalLength, serverLength: this.#totalServerLength })
    this.#stems.save(to, 'stems')
    for (const [name, ints] of this.#byStem()) to.numbers(name, ints.items.slice(0, this.#stems.size))
    to.json('ids', [...this.#ids.keys()])
    to.numbers('ids.tools', this.#toolsOfIds.items.slice(0, this.#ids.size))
    this.#servers.save(to)
    this.#vectors?.save(to)
    return to.joined()
  }

  /** @throws ToolSearchError INVALID_SAVED_INDEX for bytes of another format or version, cut or altered ones */
  static restore(saved: Uint8Array): CatalogFigures {
    const from = new SavedReader(saved)
    const figures = new CatalogFigures()
    const { count, length, serverLength } = from.json('figures') as Record<'count' | 'length' | 'serverLength', number>
    figures.#count = count
    figures.#totalLength = length
    figures.#totalServerLength = serverLength
    figures.#stems.restore(from, 'stems')
    for (const [name, ints] of figures.#byStem()) ints.restore(from.ints(name))
    figures.#vectors = VectorFigures.restore(from)
    for (const [number, server] of (from.json('ids') as readonly string[]).entries()) figures.#ids.set(server, number)
    figures.#toolsOfIds.restore(from.ints('ids.tools'))
    figures.#servers.restore(from)
    return figures
  }

  #byStem(): readonly (readonly [name: string, ints: GrowableInts])[] {
    return [
      ['stems.tools', this.#tools],
      ['stems.inServerName', this.#inServerName],
      ['stems.occurrences', this.#occurrences],
      ['stems.servers', this.#serversWith],
    ]
  }

  #change(tool: AnalysedTool, document: UnpackedDocument, sign: 1 | -1): void {
    const reader = this.#reader.replayed(document)
    this.#count += sign
    const id = this.#ids.get(tool.server) ?? this.#ids.size
    this.#ids.set(tool.server, id)
    add(this.#toolsOfIds, id, sign)
    this.#totalLength += sign * reader.length
    const named: number[] = []
    for (let i = 0; i < reader.termCount; i++) {
      const term = reader.terms.get(i)
      const posting = reader.postings.get(term)
      const stem = this.#numberOfTerm(term)
      add(this.#tools, stem, sign)
      add(this.#occurrences, stem, sign * frequencyIn(posting))
      if ((fieldBitsIn(posting) & SERVER_BIT) !== 0) add(this.#inServerName, stem, sign)
      if (nameCountIn(posting) > 0) named.push(stem, sign * nameCountIn(posting))
    }
    const { vector } = tool
    if (vector !== undefined) this.#vectors ??= new VectorFigures(vector.length)
    const server = document.serverKey === '' ? undefined : this.#changing(document)
    if (vector !== undefined) {
      if (server?.sum.length === 0) server.sum = new Int32Array(vector.length)
      this.#vectors?.count(vector, sign, server?.sum)
    }
    if (server !== undefined) this.#changeServer(document.serverKey, server, named, sign * reader.nameLength, sign)
  }

  #changing({ serverKey, serverStems }: Pick<UnpackedDocument, 'serverKey' | 'serverStems'>): ChangingServer {
    if (this.#servers.areMany) this.#settle()
    const known = this.#servers.changing(serverKey, ({ sum, tools }) => this.#vectors?.countServer(sum, tools, -1))
    if (known !== undefined) return known
    const own = new Map(serverStems.map(([stem, count]) => [this.#numberOf(stem), count]))
    for (const stem of own.keys()) add(this.#serversWith, stem, 1)
    const ownLength = serverStems.reduce((sum, [, count]) => sum + count, 0)
    this.#totalServerLength += ownLength
    return this.#servers.add(serverKey, own, ownLength)
  }

  #changeServer(key: string, server: ChangingServer, named: readonly number[], nameLength: number, sign: 1 | -1): void {
    server.tools += sign
    server.nameLength += nameLength
    this.#totalServerLength += nameLength
    const { counts } = server
    for (let at = 0; at < named.length; at += 2) {
      const [stem, change] = [named[at] as number, named[at + 1] as number]
      const before = counts.get(stem) ?? 0
      if (before === 0) add(this.#serversWith, stem, 1)
      if (before + change === 0) add(this.#serversWith, stem, -1)
      if (before + change === 0) counts.delete(stem)
      else counts.set(stem, before + change)
    }
    if (server.tools > 0) return
    for (const stem of counts.keys()) add(this.#serversWith, stem, -1)
    this.#totalServerLength -= this.#servers.ownLength(key)
    this.#servers.remove(key)
  }

  /** Counts servers that changed in again. */
  #settle(): void {
    this.#servers.settle(({ sum, tools }) => this.#vectors?.countServer(sum, tools, 1))
  }

  #numberOfTerm(term: number): number {
    const { words } = this.#reader
    if (words !== this.#numbersOf) this.#numbers = new GrowableInts(1024)
    this.#numbersOf = words
    const known = this.#numbers.get(term)
    if (known > 0) return known - 1
    const number = this.#numberOf(this.#reader.termText(term))
    this.#numbers.set(term, number + 1)
    return number
  }

  #numberOf(stem: string): number {
    const known = this.#stems.find(stem, 0, stem.length)
    return known === NO_WORD ? this.#stems.add(stem) : known
  }

  #toolsWith(stem: string): number {
    const number = this.#stems.find(stem, 0, stem.length)
    return number === NO_WORD ? 0 : this.#tools.get(number)
  }

  #stemStatistics(number: number): StemStatistics {
    if (number === NO_WORD) return { tools: 0, inServerName: 0, occurrences: 0, servers: 0 }
    return {
      tools: this.#tools.get(number),
      inServerName: this.#inServerName.get(number),
      occurrences: this.#occurrences.get(number),
      servers: this.#serversWith.get(number),
    }
  }

  #serverStatistics(key: string, asked: ReadonlyMap<string, number>): ServerStatistics {
    const found = new Map<string, number>()
    for (const [stem, number] of asked) {
      const count = this.#servers.count(key, number)
      if (count > 0) found.set(stem, count)
    }
    return { nameLength: this.#servers.nameLength(key), counts: found }
  }

  #likelyStems(word: string): readonly string[] {
    const nearby = {
      termsLike: () => this.#stemsByLetter.like(word, this.#stems.size),
      termText: (stem: number) => this.#stems.word(stem),
      surfacesLike: () => ({ numbers: [], letters: [] }),
      surfaceText: () => '',
      termOf: (surface: number) => surface,
    }
    const inView = { hasTerm: (stem: number) => this.#tools.get(stem) > 0, hasSurface: () => false }
    return typoCorrections(word, nearby, inView).map((stem) => this.#stems.word(stem))
  }

  #beginningWith(prefix: string): readonly string[] {
    const { numbers } = this.#stemsByLetter.like(prefix, this.#stems.size)
    return numbers
      .filter((stem) => this.#tools.get(stem) > 0 && begins(this.#stems.word(stem), prefix))
      .toSorted((a, b) => this.#tools.get(b) - this.#tools.get(a))
      .slice(0, MOST_BEGINNINGS)
      .map((stem) => this.#stems.word(stem))
  }
}

/** A stem may be shorter than what was typed of the word. */
function begins(stem: string, prefix: string): boolean {
  return stem.startsWith(prefix) || (stem.length >= 3 && prefix.startsWith(stem))
}

function add(to: GrowableInts, at: number, amount: number): void {
  to.set(at, to.get(at) + amount)
}

function average(total: number, count: number): number {
  return count === 0 ? 0 : total / count
}
