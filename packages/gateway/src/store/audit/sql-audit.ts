import { createHmac, timingSafeEqual } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { GatewayError } from '../../errors.ts'
import type {
  AuditEntry,
  AuditFilter,
  AuditPage,
  AuditRepository,
  AuditSums,
  StoredAuditEntry,
} from '../../model/audit.ts'
import { claimBatch, type SqlDatabase } from '../sql-database.ts'
import { all, type Condition, fromAuditRow, toAuditValues } from './audit-rows.ts'
import { type AuditPosition, scanAudit } from './audit-scan.ts'
import { sumAudit } from './audit-sums.ts'

const MOST_ON_A_PAGE = 1_000
const STREAM_PORTION = 500
/** After this time a page is returned even if it is not full. */
const PAGE_MS = 20
/** Short, because the caller keeps its entries and retries; other writers can go first. */
const APPEND_RETRY_MS = 1_000

/** The dependencies of {@link SqlAudit}. */
interface SqlAuditOptions {
  readonly database: SqlDatabase
  /** Signs cursors. */
  readonly cursorKey: string
  readonly now: () => number
  /** A monotonic clock, in milliseconds. */
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
        if (batchId !== undefined && !(await claimBatch(transaction, batchId, this.#now()))) return
        await this.#database.dialect.insertAudit(transaction, rows)
      },
      { isBulk: true, retryForMs: APPEND_RETRY_MS },
    )
  }

  async page(filter: AuditFilter, { limit, cursor }: { limit: number; cursor?: string }): Promise<AuditPage> {
    const after = cursor === undefined ? undefined : readCursor(cursor, filter, this.#cursorKey)
    const size = Math.max(1, Math.min(Math.trunc(limit), MOST_ON_A_PAGE))
    const rows = []
    const end = this.#elapsed() + PAGE_MS
    let next: AuditPosition | undefined
    for await (const result of scanAudit(this.#database, filter, {
      newestFirst: true,
      portion: size + 1,
      ...(after && { after }),
    })) {
      rows.push(...result.rows)
      next = rows.length > size ? rows[size - 1] : result.next
      if (rows.length > size || this.#elapsed() >= end) break
    }
    return {
      entries: rows.slice(0, size).map(fromAuditRow),
      ...(next !== undefined && { nextCursor: writeCursor(next, filter, this.#cursorKey) }),
    }
  }

  /** Ends with the entry that was the newest at the start. */
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

const FIELDS = [
  'kind',
  'tokenId',
  'projectId',
  'endpointId',
  'serverId',
  'toolKey',
  'requestId',
  'outcome',
  'from',
  'until',
] as const satisfies readonly (keyof AuditFilter)[]

/** A cursor for a position, signed together with the filter, so that it is valid for no other. */
function writeCursor({ at, id }: AuditPosition, filter: AuditFilter, key: string): string {
  const place = Buffer.from(`${at} ${id}`).toString('base64url')
  return `${place}.${signature(place, filter, key).toString('base64url')}`
}

/** @throws GatewayError REQUEST_INVALID for a cursor that `writeCursor` did not create for this filter */
function readCursor(cursor: string, filter: AuditFilter, key: string): AuditPosition {
  const [place = '', signed = ''] = cursor.split('.', 2)
  const [given, expected] = [Buffer.from(signed, 'base64url'), signature(place, filter, key)]
  const isOurs = given.length === expected.length && timingSafeEqual(given, expected)
  if (!isOurs || `${place}.${expected.toString('base64url')}` !== cursor) {
    const reason = 'the cursor belongs to another filter'
    throw new GatewayError('REQUEST_INVALID', { reason, remedy: 'Request the first page without a cursor.' })
  }
  const [at = 0, id = 0] = Buffer.from(place, 'base64url').toString().split(' ').map(Number)
  return { at, id }
}

function signature(place: string, filter: AuditFilter, key: string): Buffer {
  const asked = JSON.stringify([place, ...FIELDS.map((field) => filter[field] ?? null)])
  return createHmac('sha256', key).update(asked).digest().subarray(0, 16)
}

/** Rows per transaction, few enough not to delay calls. */
const PORTION = 500
/** Batches whose confirmation was lost are sent again well within this time. */
const BATCHES_KEPT_MS = 60 * 60 * 1_000

/** Removes entries that are too old or too many, in small transactions. */
async function pruneAudit(
  database: SqlDatabase,
  { before, maxEntries, now }: { readonly before?: number; readonly maxEntries?: number; readonly now: number },
): Promise<number> {
  let removed = 0
  if (before !== undefined) removed += await removeAll(database, (eb) => eb('at', '<', before))
  const first = maxEntries === undefined ? undefined : await firstBeyond(database, maxEntries)
  if (first !== undefined) removed += await removeAll(database, upTo(first))
  await database.write(
    (transaction) =>
      transaction
        .deleteFrom('audit_batches')
        .where('at', '<', now - BATCHES_KEPT_MS)
        .execute(),
    { isBulk: true },
  )
  return removed
}

async function removeAll(database: SqlDatabase, condition: Condition): Promise<number> {
  for (let removed = 0; ; ) {
    const { numDeletedRows } = await database.write(
      (transaction) =>
        transaction
          .deleteFrom('audit_entries')
          .where('id', 'in', (eb) =>
            eb.selectFrom('audit_entries').select('id').where(condition).orderBy('at').orderBy('id').limit(PORTION),
          )
          .executeTakeFirstOrThrow(),
      { isBulk: true },
    )
    removed += Number(numDeletedRows)
    if (numDeletedRows < PORTION) return removed
    await nextTurn()
  }
}

/** The newest entry beyond the limit. If the ids span fewer numbers than the limit, no count is necessary. */
function firstBeyond(database: SqlDatabase, maxEntries: number): Promise<AuditPosition | undefined> {
  return database.scan(async (db) => {
    const ends = await db
      .selectFrom('audit_entries')
      .select(({ fn }) => [fn.min<number | null>('id').as('first'), fn.max<number | null>('id').as('last')])
      .executeTakeFirstOrThrow()
    if ((ends.last ?? 0) - (ends.first ?? 1) < maxEntries) return undefined
    return db
      .selectFrom('audit_entries')
      .select(['at', 'id'])
      .orderBy('at', 'desc')
      .orderBy('id', 'desc')
      .limit(1)
      .offset(maxEntries)
      .executeTakeFirst()
  })
}

function upTo({ at, id }: AuditPosition): Condition {
  return all([(eb) => eb('at', '<=', at), (eb) => eb.or([eb('at', '<', at), eb('id', '<=', id)])])
}
