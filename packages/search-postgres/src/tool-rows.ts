import type { IndexedTool, ToolBackend } from '@tooldex/search'
import { foldName, type IndexEntry, REMOVED, serverKey } from '@tooldex/search/store'
import { isStorable, sortKeyOf } from './database-text.ts'
import { toJsonText } from './json-text.ts'
import type { Session } from './session.ts'
import type { Tables } from './tables.ts'
import { WordRows } from './word-rows.ts'

interface EntryRow {
  readonly id: string
  readonly definition: string
  readonly backends: string
}

type Staged = ReadonlyMap<string, IndexEntry | typeof REMOVED>

/** Tools that travel in one statement. */
const BATCH = 500

/** Reads and writes the tools of one index. */
export class ToolRows {
  readonly #indexId: number
  readonly #tables: Tables
  readonly #words: WordRows

  constructor(indexId: number, tables: Tables) {
    this.#indexId = indexId
    this.#tables = tables
    this.#words = new WordRows(indexId, tables)
  }

  /** The entries that are there, of those asked for. */
  async entries(session: Session, ids: Iterable<string>): Promise<Map<string, IndexEntry>> {
    const wanted = [...ids].filter(isStorable)
    if (wanted.length === 0) return new Map()
    return entriesOf(await session.rows(`${this.#select()} and id = any($2)`, [this.#indexId, wanted]))
  }

  /** The entries of a namespace, and those of the ids. */
  async entriesOfNamespace(
    session: Session,
    namespace: string,
    ids: Iterable<string>,
  ): Promise<Map<string, IndexEntry>> {
    const values = [this.#indexId, namespace, [...ids].filter(isStorable)]
    return entriesOf(await session.rows(`${this.#select()} and (namespace = $2 or id = any($3))`, values))
  }

  /** All tools in id order, some hundred at a time: there may be more than fit into memory. */
  async *all(session: Session): AsyncIterable<IndexedTool> {
    let after: Buffer = Buffer.alloc(0)
    for (;;) {
      const text = `${this.#select()} and sort_key > $2 order by sort_key limit ${BATCH}`
      const rows: EntryRow[] = await session.rows(text, [this.#indexId, after])
      for (const row of rows) yield toolOf(row)
      const last = rows.at(-1)
      if (last === undefined || rows.length < BATCH) return
      after = sortKeyOf(last.id)
    }
  }

  /** Up to `count` tools in id order after the first `offset`, of the ids or of all. */
  async slice(
    session: Session,
    ids: readonly string[] | undefined,
    { offset, count }: { readonly offset: number; readonly count: number },
  ): Promise<readonly IndexedTool[]> {
    const scope = ids === undefined ? '' : 'and id = any($4)'
    const text = `${this.#select()} ${scope} order by sort_key offset $2 limit $3`
    const values = [this.#indexId, offset, count, ...(ids === undefined ? [] : [ids])]
    return (await session.rows<EntryRow>(text, values)).map(toolOf)
  }

  /** The namespaces that have a tool, of the ids or of all, sorted. */
  async namespaces(session: Session, ids: readonly string[] | undefined): Promise<readonly string[]> {
    const scope = ids === undefined ? '' : 'and id = any($2)'
    const rows = await session.rows<{ namespace: string }>(
      `select distinct namespace from ${this.#tables.tools} where index_id = $1 and namespace is not null ${scope}`,
      [this.#indexId, ...(ids === undefined ? [] : [ids])],
    )
    return rows.map(({ namespace }) => namespace).sort()
  }

  /** Takes over what was drafted. */
  async write(session: Session, staged: Staged, before: ReadonlyMap<string, IndexEntry>): Promise<void> {
    const entries = [...staged].filter((pair): pair is [string, IndexEntry] => pair[1] !== REMOVED)
    const rewritten = entries.filter(([id, { tool }]) => tool !== before.get(id)?.tool)
    const rewired = entries.filter(([id, { tool, backends }]) => {
      const known = before.get(id)
      return tool === known?.tool && backends !== known.backends
    })
    const gone = [...staged.keys()].filter((id) => staged.get(id) === REMOVED)
    const replaced = rewritten.map(([id]) => id).filter((id) => before.has(id))
    await this.#delete(session, [...gone, ...replaced])
    for (let at = 0; at < rewritten.length; at += BATCH) {
      await this.#insert(
        session,
        rewritten.slice(at, at + BATCH).map(([, entry]) => entry),
      )
    }
    if (gone.length + rewritten.length > 0) await this.#words.settle(session, rewritten.length)
    await this.#rewire(session, rewired)
  }

  #select(): string {
    return `select id, definition, backends from ${this.#tables.tools} where index_id = $1`
  }

  async #delete(session: Session, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    const { tools, postings } = this.#tables
    await session.rows(
      `with gone as (delete from ${tools} where index_id = $1 and id = any($2) returning number)
       delete from ${postings} where tool in (select number from gone)`,
      [this.#indexId, ids],
    )
  }

  async #rewire(session: Session, entries: readonly [string, IndexEntry][]): Promise<void> {
    if (entries.length === 0) return
    await session.rows(
      `update ${this.#tables.tools} t set backends = n.backends
       from unnest($2::text[], $3::text[]) as n(id, backends) where t.index_id = $1 and t.id = n.id`,
      [this.#indexId, entries.map(([id]) => id), entries.map(([, { backends }]) => toJsonText(backends))],
    )
  }

  async #insert(session: Session, entries: readonly IndexEntry[]): Promise<void> {
    const servers = await this.#words.writeServers(
      session,
      entries.map(({ tool }) => tool),
    )
    const documents = entries.map((entry) => ({
      ...entry,
      terms: this.#words.read(entry.tool),
      server: servers.get(serverKey(entry.tool)) ?? null,
    }))
    const column = <T>(value: (document: (typeof documents)[number]) => T): T[] => documents.map(value)
    const inserted = await session.rows<{ id: string; number: string }>(
      `insert into ${this.#tables.tools} (index_id, id, sort_key, namespace, folded_name, server, definition, backends,
         length, name_length)
       select $1, * from unnest($2::text[], $3::bytea[], $4::text[], $5::text[], $6::integer[], $7::text[], $8::text[],
         $9::integer[], $10::integer[])
       returning id, number`,
      [
        this.#indexId,
        column(({ tool }) => tool.id),
        column(({ tool }) => sortKeyOf(tool.id)),
        column(({ tool }) => tool.namespace ?? null),
        column(({ tool }) => foldName(tool.name)),
        column(({ server }) => server),
        column(({ tool }) => toJsonText(tool)),
        column(({ backends }) => toJsonText(backends)),
        column(({ terms }) => terms.length),
        column(({ terms }) => terms.nameLength),
      ],
    )
    const numberOf = new Map(inserted.map(({ id, number }) => [id, number]))
    await this.#words.writePostings(
      session,
      documents.map(({ tool, terms, server }) => ({ number: numberOf.get(tool.id) as string, terms, server })),
    )
  }
}

/** The tool of a row. */
export function toolOf({ definition }: { readonly definition: string }): IndexedTool {
  return JSON.parse(definition) as IndexedTool
}

function entriesOf(rows: readonly EntryRow[]): Map<string, IndexEntry> {
  return new Map(
    rows.map((row) => [row.id, { tool: toolOf(row), backends: JSON.parse(row.backends) as readonly ToolBackend[] }]),
  )
}
