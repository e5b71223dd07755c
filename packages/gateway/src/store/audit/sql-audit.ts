import { GatewayError } from '../../errors.ts'
import type {
  AuditEntry,
  AuditFilter,
  AuditPage,
  AuditRepository,
  AuditSums,
  StoredAuditEntry,
} from '../../model/audit.ts'
import { isFirstTime } from '../first-time.ts'
import type { SqlDatabase } from '../sql-database.ts'
import { readCursor, writeCursor } from './audit-cursor.ts'
import { pruneAudit } from './audit-prune.ts'
import { fromAuditRow, toAuditValues } from './audit-rows.ts'
import { scanAudit } from './audit-scan.ts'
import type { AuditPosition } from './audit-stretch.ts'
import { sumAudit } from './audit-sums.ts'

const MOST_ON_A_PAGE = 1_000
const STREAM_PORTION = 500
/** After so long a page is given as it is, however little is on it: nobody waits for what may not be there. */
const PAGE_MS = 20
/** Who appends keeps what was not taken and comes again; meanwhile others get their turn. */
const APPEND_PATIENCE_MS = 1_000

/** What the audit log of a database needs. */
export interface SqlAuditOptions {
  readonly database: SqlDatabase
  /** Signs cursors. */
  readonly cursorKey: string
  readonly now: () => number
  /** How long it took, in milliseconds since some moment. */
  readonly elapsed?: () => number
}

/** Audit entries in a database. */
export class SqlAudit implements AuditRepository {
  readonly #database: SqlDatabase
  readonly #cursorKey: string
  readonly #now: () => number
  readonly #elapsed: () => number

  constructor({ database, cursorKey, now, elapsed = () => performance.now() }: SqlAuditOptions) {
    this.#database = database
    this.#cursorKey = cursorKey
    this.#now = now
    this.#elapsed = elapsed
  }

  async append(entries: readonly AuditEntry[], batchId?: string): Promise<void> {
    if (entries.length === 0) return
    const rows = entries.map(toAuditValues)
    await this.#database.write(
      async (transaction) => {
        if (batchId !== undefined && !(await isFirstTime(transaction, batchId, this.#now()))) return
        await this.#database.flavour.insertAudit(transaction, rows)
      },
      { isBulk: true, patienceMs: APPEND_PATIENCE_MS },
    )
  }

  async page(filter: AuditFilter, { limit, cursor }: { limit: number; cursor?: string }): Promise<AuditPage> {
    const after = cursor === undefined ? undefined : readCursor(cursor, filter, this.#cursorKey)
    const size = Math.max(1, Math.min(Math.trunc(limit), MOST_ON_A_PAGE))
    const rows = []
    const end = this.#elapsed() + PAGE_MS
    let next: AuditPosition | undefined
    for await (const look of scanAudit(this.#database, filter, {
      newestFirst: true,
      portion: size + 1,
      ...(after && { after }),
    })) {
      rows.push(...look.rows)
      next = rows.length > size ? rows[size - 1] : look.next
      if (rows.length > size || this.#elapsed() >= end) break
    }
    return {
      entries: rows.slice(0, size).map(fromAuditRow),
      ...(next !== undefined && { nextCursor: writeCursor(next, filter, this.#cursorKey) }),
    }
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
    for await (const { rows } of scanAudit(this.#database, filter, { newestFirst: false, portion: STREAM_PORTION })) {
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
}
