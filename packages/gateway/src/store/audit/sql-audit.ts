import type { AuditEntry } from '../../audit/audit-log.ts'
import type {
  AuditFilter,
  AuditPage,
  AuditRepository,
  AuditSums,
  StoredAuditEntry,
} from '../../audit/audit-repository.ts'
import { GatewayError } from '../../errors.ts'
import type { Sql } from '../flavour.ts'
import type { SqlDatabase } from '../sql-database.ts'
import { readCursor, writeCursor } from './audit-cursor.ts'
import { pruneAudit } from './audit-prune.ts'
import { fromAuditRow, toAuditValues } from './audit-rows.ts'
import { scanAudit } from './audit-scan.ts'
import { sumAudit } from './audit-sums.ts'

const MOST_ON_A_PAGE = 1_000
const STREAM_PORTION = 500
/** Who appends keeps what was not taken and comes again; meanwhile others get their turn. */
const APPEND_PATIENCE_MS = 1_000

/** Audit entries in a database. */
export class SqlAudit implements AuditRepository {
  readonly #database: SqlDatabase
  readonly #cursorKey: string
  readonly #now: () => number

  constructor({ database, cursorKey, now }: { database: SqlDatabase; cursorKey: string; now: () => number }) {
    this.#database = database
    this.#cursorKey = cursorKey
    this.#now = now
  }

  async append(entries: readonly AuditEntry[], batchId?: string): Promise<void> {
    if (entries.length === 0) return
    const rows = entries.map(toAuditValues)
    await this.#database.write(
      async (transaction) => {
        if (batchId !== undefined && !(await this.#isFirst(transaction, batchId))) return
        await this.#database.flavour.insertAudit(transaction, rows)
      },
      { isBulk: true, patienceMs: APPEND_PATIENCE_MS },
    )
  }

  async page(filter: AuditFilter, { limit, cursor }: { limit: number; cursor?: string }): Promise<AuditPage> {
    const after = cursor === undefined ? undefined : readCursor(cursor, filter, this.#cursorKey)
    const size = Math.max(1, Math.min(Math.trunc(limit), MOST_ON_A_PAGE))
    const rows = []
    const options = { newestFirst: true, portion: size + 1, ...(after && { after }) }
    for await (const portion of scanAudit(this.#database, filter, options)) {
      rows.push(...portion)
      if (rows.length > size) break
    }
    const last = rows.length > size ? rows[size - 1] : undefined
    const next = last === undefined ? {} : { nextCursor: writeCursor(last, filter, this.#cursorKey) }
    return { entries: rows.slice(0, size).map(fromAuditRow), ...next }
  }

  /** Ends with the newest entry that there was when it began. */
  async *stream(filter: AuditFilter): AsyncGenerator<StoredAuditEntry> {
    const newest = await this.#database.scan((db) =>
      db
        .selectFrom('audit_entries')
        .select(({ fn }) => fn.max<number | null>('id').as('id'))
        .executeTakeFirst(),
    )
    const lastId = newest?.id ?? 0
    for await (const rows of scanAudit(this.#database, filter, { newestFirst: false, portion: STREAM_PORTION })) {
      for (const row of rows) if (row.id <= lastId) yield fromAuditRow(row)
      if (rows.length > 0 && rows.every(({ id }) => id > lastId)) return
    }
  }

  async sums(filter: AuditFilter, stepMs: number): Promise<readonly AuditSums[]> {
    if (!Number.isSafeInteger(stepMs) || stepMs < 1) {
      throw new GatewayError('REQUEST_INVALID', { reason: 'a step must be a whole number of milliseconds' })
    }
    return sumAudit(this.#database, filter, stepMs)
  }

  async prune(limits: { before?: number; maxEntries?: number }): Promise<{ readonly removed: number }> {
    return { removed: await pruneAudit(this.#database, { ...limits, now: this.#now() }) }
  }

  async #isFirst(transaction: Sql, id: string): Promise<boolean> {
    const { numInsertedOrUpdatedRows } = await transaction
      .insertInto('audit_batches')
      .values({ id, at: this.#now() })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .executeTakeFirstOrThrow()
    return numInsertedOrUpdatedRows === 1n
  }
}
