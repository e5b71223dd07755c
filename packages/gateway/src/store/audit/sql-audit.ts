import { createHmac, timingSafeEqual } from 'node:crypto'
import { linkAfter, storable } from '../../audit/audit-chain.ts'
import { GatewayError } from '../../errors.ts'
import type {
  AuditEntry,
  AuditFilter,
  AuditLimits,
  AuditPage,
  AuditRepository,
  AuditSums,
  ChainEnds,
  ChainMark,
  StoredAuditEntry,
  ToolUsage,
} from '../../model/audit.ts'
import { claimBatch, type SqlDatabase } from '../sql-database.ts'
import type { Sql } from '../sql-dialect.ts'
import { pruneAudit } from './audit-pruning.ts'
import { fromAuditRow, toAuditValues } from './audit-rows.ts'
import { type AuditPosition, scanAudit, scanInOrder } from './audit-scan.ts'
import { sumAudit } from './audit-sums.ts'
import { usageOfTools } from './audit-usage.ts'

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
    await this.#database.write(
      async (transaction) => {
        if (batchId !== undefined && !(await claimBatch(transaction, batchId, this.#now()))) return
        await this.#database.dialect.limitWaiting(transaction)
        await this.#database.dialect.insertAudit(transaction, await chained(transaction, entries))
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
    const isWhole = Object.values(filter).every((value) => value === undefined)
    const scan = isWhole
      ? scanInOrder(this.#database, STREAM_PORTION)
      : scanAudit(this.#database, filter, { newestFirst: false, portion: STREAM_PORTION })
    for await (const { rows } of scan) {
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

  usage(filter: AuditFilter): Promise<readonly ToolUsage[]> {
    return usageOfTools(this.#database, filter)
  }

  async chainEnds(): Promise<ChainEnds> {
    const { seq, hash, start_seq, start_hash } = await this.#database.scan((db) =>
      db.selectFrom('audit_chain').selectAll().executeTakeFirstOrThrow(),
    )
    return { start: { seq: start_seq, hash: start_hash }, head: { seq, hash } }
  }

  async prune(limits: AuditLimits): Promise<{ readonly removed: number }> {
    return { removed: await pruneAudit(this.#database, limits, this.#now()) }
  }
}

/**
 * The rows of entries, linked to the end of the chain. The row of the chain is locked until the transaction ends, so that
 * several gateways on one database write one chain, in which ids and sequence numbers grow together.
 */
async function chained(transaction: Sql, entries: readonly AuditEntry[]): Promise<(readonly unknown[])[]> {
  const before = await transaction
    .updateTable('audit_chain')
    .set((eb) => ({ seq: eb('seq', '+', entries.length) }))
    .returning(['seq', 'hash'])
    .executeTakeFirstOrThrow()
  let last: ChainMark = { seq: before.seq - entries.length, hash: before.hash }
  const rows = entries.map((given) => {
    const entry = storable(given)
    const link = linkAfter(last, entry)
    last = link
    return toAuditValues(entry, link)
  })
  await transaction.updateTable('audit_chain').set({ hash: last.hash }).execute()
  return rows
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
