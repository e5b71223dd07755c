import type { ToolDiff, ToolIndexChange } from '@tooldex/search'
import type { Session } from './session.ts'
import type { Tables } from './tables.ts'

/** Changes further back than this are no longer told one by one. */
const KEPT_CHANGES = 1_000

/** What happened since a version. */
export interface ChangesSince {
  readonly version: number
  readonly changes: readonly ToolIndexChange[]
  /** Whether some changes are no longer in the log. */
  readonly isIncomplete: boolean
}

interface ChangeRow {
  readonly version: string
  readonly added: string[]
  readonly changed: string[]
  readonly removed: string[]
}

/** The version of an index and what made it, shared by all processes. */
export class ChangeLog {
  readonly #indexId: number
  readonly #tables: Tables

  constructor(indexId: number, tables: Tables) {
    this.#indexId = indexId
    this.#tables = tables
  }

  /** The version now. */
  async version(session: Session): Promise<number> {
    return this.#readVersion(session, '')
  }

  /** The version, which nobody else can change until the transaction ends: changes happen one after the other. */
  async lock(session: Session): Promise<number> {
    return this.#readVersion(session, 'for update')
  }

  /** Writes a change and tells all processes when the transaction is kept. */
  async append(session: Session, { version, added, changed, removed }: ToolIndexChange): Promise<void> {
    const { indexes, changes, channel } = this.#tables
    await session.rows(`update ${indexes} set version = $2 where id = $1`, [this.#indexId, version])
    await session.rows(`insert into ${changes} values ($1, $2, $3, $4, $5)`, [
      ...[this.#indexId, version],
      ...[added, changed, removed],
    ])
    await session.rows(`delete from ${changes} where index_id = $1 and version <= $2`, [
      this.#indexId,
      version - KEPT_CHANGES,
    ])
    await session.rows('select pg_notify($1, $2)', [channel, String(this.#indexId)])
  }

  /** What happened after `known`. */
  async since(session: Session, known: number): Promise<ChangesSince> {
    const version = await this.version(session)
    if (version <= known) return { version, changes: [], isIncomplete: false }
    const rows = await session.rows<ChangeRow>(
      `select version, added, changed, removed from ${this.#tables.changes}
       where index_id = $1 and version > $2 order by version`,
      [this.#indexId, known],
    )
    const changes = rows.map((row) => ({ ...row, version: Number(row.version) }))
    return { version, changes, isIncomplete: changes.length < version - known }
  }

  async #readVersion(session: Session, lock: string): Promise<number> {
    const text = `select version from ${this.#tables.indexes} where id = $1 ${lock}`
    const [row] = await session.rows<{ version: string }>(text, [this.#indexId])
    return Number(row?.version ?? 0)
  }
}

/** Whether nothing changed. */
export function isEmpty({ added, changed, removed }: ToolDiff): boolean {
  return added.length + changed.length + removed.length === 0
}
