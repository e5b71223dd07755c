import type { IndexedTool } from '@tooldex/search'
import { serverKey, TermReader, type ToolTerms } from '@tooldex/search/store'
import { digestOf, termKeyOf } from './database-text.ts'
import type { Session } from './session.ts'
import type { Tables } from './tables.ts'

/** A tool whose words are written. */
export interface WrittenDocument {
  readonly number: string
  readonly server: number | null
  readonly terms: ToolTerms
}

/** After as many new tools the planner's knowledge of the tables is worth nothing. */
const MANY_TOOLS = 200

/** Writes the words of tools and servers, by which they are found. */
export class WordRows {
  readonly #indexId: number
  readonly #tables: Tables
  readonly #reader = new TermReader()

  constructor(indexId: number, tables: Tables) {
    this.#indexId = indexId
    this.#tables = tables
  }

  /** The words of a tool. */
  read(tool: IndexedTool): ToolTerms {
    return this.#reader.read(tool)
  }

  /** Makes sure that the tools' servers are there; their numbers by `serverKey`. */
  async writeServers(session: Session, tools: readonly IndexedTool[]): Promise<Map<string | undefined, number>> {
    const byDigest = new Map<string, { readonly key: string; readonly tool: IndexedTool }>()
    for (const tool of tools) {
      const key = serverKey(tool)
      if (key !== undefined) byDigest.set(digestOf(key), { key, tool })
    }
    const known = await this.#serverNumbers(session, [...byDigest.keys()])
    const missing = [...byDigest.keys()].filter((digest) => !known.has(digest))
    const read = new Map(
      missing.map((digest) => [digest, this.#reader.readServer(byDigest.get(digest)?.tool as IndexedTool)]),
    )
    const rows = await session.rows<{ key: string; number: number }>(
      `insert into ${this.#tables.servers} (index_id, key, length)
       select $1, * from unnest($2::text[], $3::integer[]) returning key, number`,
      [this.#indexId, missing, missing.map((digest) => read.get(digest)?.length ?? 0)],
    )
    const postings = rows.flatMap(({ key, number }) =>
      Array.from(read.get(key)?.counts ?? [], ([stem, count]) => ({ stem, number, count })),
    )
    await session.rows(
      `insert into ${this.#tables.serverPostings} select $1, * from unnest($2::text[], $3::integer[], $4::integer[])`,
      [
        this.#indexId,
        postings.map(({ stem }) => termKeyOf(stem)),
        postings.map(({ number }) => number),
        postings.map(({ count }) => count),
      ],
    )
    for (const { key, number } of rows) known.set(key, number)
    return new Map(Array.from(known, ([digest, number]) => [byDigest.get(digest)?.key, number]))
  }

  /** Writes the words of tools. */
  async writePostings(session: Session, documents: readonly WrittenDocument[]): Promise<void> {
    const postings = documents.flatMap(({ number, server, terms: { terms, length } }) =>
      terms.map(({ stem, frequency, nameCount }) => ({
        term: termKeyOf(stem),
        ...{ number, frequency, length, nameCount, server },
      })),
    )
    await session.rows(
      `insert into ${this.#tables.postings}
       select $1, * from unnest($2::text[], $3::bigint[], $4::integer[], $5::integer[], $6::integer[], $7::integer[])`,
      [
        this.#indexId,
        postings.map(({ term }) => term),
        postings.map(({ number }) => number),
        postings.map(({ frequency }) => frequency),
        postings.map(({ length }) => length),
        postings.map(({ nameCount }) => nameCount),
        postings.map(({ server }) => server),
      ],
    )
    await session.rows(`insert into ${this.#tables.terms} select $1, unnest($2::text[]) on conflict do nothing`, [
      this.#indexId,
      [...new Set(postings.map(({ term }) => term))].sort(),
    ])
  }

  /** Brings the servers in line with their tools: sums, and those without a tool go. */
  async settle(session: Session, written: number): Promise<void> {
    const { servers, tools, postings, serverPostings } = this.#tables
    await session.rows(
      `update ${servers} s set name_length = n.total
       from (select server, sum(name_length)::integer as total from ${tools} where index_id = $1 group by server) n
       where s.number = n.server and s.name_length <> n.total`,
      [this.#indexId],
    )
    await session.rows(
      `with gone as (
         delete from ${servers} s
         where s.index_id = $1 and not exists (select from ${tools} t where t.server = s.number) returning number
       )
       delete from ${serverPostings} where server in (select number from gone)`,
      [this.#indexId],
    )
    // Without it the first searches after a large change would be planned for an empty table, and take a second each.
    if (written >= MANY_TOOLS) await session.rows(`analyze ${tools}, ${postings}, ${servers}, ${serverPostings}`)
  }

  async #serverNumbers(session: Session, digests: readonly string[]): Promise<Map<string, number>> {
    const rows = await session.rows<{ key: string; number: number }>(
      `select key, number from ${this.#tables.servers} where index_id = $1 and key = any($2)`,
      [this.#indexId, digests],
    )
    return new Map(rows.map(({ key, number }) => [key, number]))
  }
}
