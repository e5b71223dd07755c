import { createHash } from 'node:crypto'
import { inSlices, type Steps } from '../in-slices.ts'
import { LIST_NAMES, type LastGoodLists, type LastGoodStore } from '../model/last-good.ts'
import type { SqlDatabase } from './sql-database.ts'
import { fromStorable, toStorable } from './storable-text.ts'
import type { ToolSnapshotRow } from './tables.ts'

/** Longer texts are written as bulk, so that they do not block other writes. */
const LONG_TEXT = 1_000_000

/** Few enough that the lists of large servers are not in memory twice for long. */
const ROWS_A_QUERY = 25

/** Rows that are read with one query. */
interface Portion {
  readonly ids: string[]
  readonly rows: Promise<ReadonlyMap<string, ToolSnapshotRow>>
}

/** The last lists of servers. Unchanged lists are not written again. */
export class SqlLastGood implements LastGoodStore {
  readonly #database: SqlDatabase
  readonly #now: () => number
  /** What was asked for in this turn. */
  #asked: Portion[] = []

  constructor({ database, now }: { database: SqlDatabase; now: () => number }) {
    this.#database = database
    this.#now = now
  }

  /** Undefined if the database fails: the catalog then asks the server. */
  async load(serverId: string): Promise<LastGoodLists | undefined> {
    try {
      const row = await this.#row(toStorable(serverId))
      const lists = row === undefined ? undefined : readLists(row.lists)
      if (row === undefined || lists === undefined) return undefined
      const instructions = row.instructions === null ? {} : { instructions: fromStorable(row.instructions) }
      return { origin: row.origin, ...lists, ...instructions }
    } catch {
      return undefined
    }
  }

  /** Rows that are asked for at the same time are read together: a start asks for those of all servers. */
  #row(server_id: string): Promise<ToolSnapshotRow | undefined> {
    const last = this.#asked.at(-1)
    const portion = last === undefined || last.ids.length >= ROWS_A_QUERY ? this.#newPortion() : last
    portion.ids.push(server_id)
    return portion.rows.then((rows) => rows.get(server_id))
  }

  #newPortion(): Portion {
    const ids: string[] = []
    const rows = Promise.resolve().then(async () => {
      this.#asked = []
      const read = await this.#database.read((db) =>
        db.selectFrom('tool_snapshots').selectAll().where('server_id', 'in', ids).execute(),
      )
      return new Map(read.map((row) => [row.server_id, row]))
    })
    const portion = { ids, rows }
    this.#asked.push(portion)
    return portion
  }

  async save(serverId: string, { origin, instructions, lists, asksClients }: LastGoodLists): Promise<void> {
    const server_id = toStorable(serverId)
    const { text, hash } = await inSlices(writeSteps([origin, instructions ?? null], lists, asksClients))
    const kept = await this.#database.read((db) =>
      db.selectFrom('tool_snapshots').select('hash').where('server_id', '=', server_id).executeTakeFirst(),
    )
    if (kept?.hash === hash) return
    const row = {
      origin,
      hash,
      instructions: instructions === undefined ? null : toStorable(instructions),
      lists: text,
      saved_at: this.#now(),
    }
    await this.#database.write(
      (transaction) =>
        transaction
          .insertInto('tool_snapshots')
          .values({ server_id, ...row })
          .onConflict((conflict) => conflict.column('server_id').doUpdateSet(row))
          .execute(),
      text.length > LONG_TEXT ? { isBulk: true } : { isQuick: true },
    )
  }
}

/** Writes lists as JSON, one entry in each step, with a hash of it all. */
function* writeSteps(
  head: unknown,
  lists: LastGoodLists['lists'],
  asksClients: LastGoodLists['asksClients'],
): Steps<{ text: string; hash: string }> {
  const hash = createHash('sha256').update(JSON.stringify(head))
  let text = ''
  const write = (piece: string): void => {
    hash.update(piece)
    text += piece
  }
  for (const [name, entries] of Object.entries(lists)) {
    write(`${text === '' ? '{' : ','}${JSON.stringify(name)}:[`)
    for (const [at, entry] of entries.entries()) {
      write(`${at === 0 ? '' : ','}${JSON.stringify(entry)}`)
      yield
    }
    write(']')
  }
  write(asksClients === true ? ',"asksClients":true}' : '}')
  return { text, hash: hash.digest('hex') }
}

/** The lists of a row. What else is known of the server is beside them in the same text. */
function readLists(text: string): Pick<LastGoodLists, 'lists' | 'asksClients'> | undefined {
  const { asksClients, ...lists } = JSON.parse(text) as Partial<LastGoodLists['lists']> & { asksClients?: unknown }
  if (!LIST_NAMES.every((name) => Array.isArray(lists[name]))) return undefined
  return { lists: lists as LastGoodLists['lists'], ...(asksClients === true && { asksClients }) }
}
