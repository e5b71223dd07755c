import { isRecord } from '@tooldex/http-kit/json'
import { sql } from 'kysely'
import type { AskedLease, Lease, ReplicaReport, SharedLimits } from '../../model/shared-limits.ts'
import type { SqlDatabase } from '../sql-database.ts'

/** A replica without a report for this long counts as gone. */
const GONE_AFTER_SECONDS = 5
/** Unused buckets and reports are removed after this time; a bucket is full again by then. */
const FORGOTTEN_AFTER_SECONDS = 600
const PRUNE_MS = 60_000
/** Callers wait for it, and have another way if it fails. */
const AT_ONCE = { isQuick: true, retryForMs: 0 } as const

const seconds = sql<number>`extract(epoch from clock_timestamp())::double precision`

/** Limits of all replicas, in PostgreSQL. */
export class SqlSharedLimits implements SharedLimits {
  readonly #database: SqlDatabase
  #prunedAt = performance.now()

  constructor(database: SqlDatabase) {
    this.#database = database
  }

  /** One statement for all buckets, in the order of their keys, so that two replicas do not lock each other out. */
  async lease(asked: readonly AskedLease[]): Promise<readonly Lease[]> {
    const rows = asked.map(({ perMinute, ...each }) => ({ ...each, per_minute: perMinute }))
    const { rows: granted } = await this.#database.write(
      (transaction) =>
        sql<{ key: string; granted: number; tokens: number; per_minute: number }>`
          insert into limit_buckets as bucket (key, per_minute, wanted, returned, granted, tokens, at)
          select key, per_minute, wanted, returned,
            least(wanted, per_minute), per_minute - least(wanted, per_minute), ${seconds}
          from json_to_recordset(${JSON.stringify(rows)}::json)
            as asked (key text, per_minute double precision, wanted double precision, returned double precision)
          order by key
          on conflict (key) do update set
            (per_minute, wanted, returned, granted, tokens, at) = (
              select excluded.per_minute, excluded.wanted, excluded.returned,
                least(excluded.wanted, floor(now.tokens + 1e-9)),
                now.tokens - least(excluded.wanted, floor(now.tokens + 1e-9)),
                greatest(excluded.at, bucket.at)
              from (
                select least(
                  excluded.per_minute,
                  bucket.tokens + excluded.returned
                    + greatest(0, excluded.at - bucket.at) * excluded.per_minute / 60
                ) as tokens
              ) as now
            )
          returning key, granted, tokens, per_minute`.execute(transaction),
      AT_ONCE,
    )
    return granted.map(({ key, granted: tokens, tokens: left, per_minute: perMinute }) => ({
      key,
      granted: tokens,
      nextMs: Math.max(0, 1 - left) * (60_000 / perMinute),
    }))
  }

  async report({ id, ...own }: ReplicaReport): Promise<{ now: number; others: readonly ReplicaReport[] }> {
    return this.#database.write(async (transaction) => {
      await sql`insert into replica_reports (id, report, seen_at) values (${id}, ${JSON.stringify(own)}, ${seconds})
        on conflict (id) do update set report = excluded.report, seen_at = excluded.seen_at`.execute(transaction)
      if (performance.now() - this.#prunedAt > PRUNE_MS) {
        this.#prunedAt = performance.now()
        await sql`delete from limit_buckets where at < ${seconds} - ${FORGOTTEN_AFTER_SECONDS}`.execute(transaction)
        await sql`delete from replica_reports where seen_at < ${seconds} - ${FORGOTTEN_AFTER_SECONDS}`.execute(
          transaction,
        )
      }
      const { rows } = await sql<{ id: string; report: string; now: number }>`
        select id, report, ${seconds} as now from replica_reports
        where id = ${id} or seen_at > ${seconds} - ${GONE_AFTER_SECONDS}`.execute(transaction)
      const others = rows.filter((row) => row.id !== id).map((row) => reportOf(row.id, row.report))
      return { now: (rows[0]?.now ?? 0) * 1_000, others }
    }, AT_ONCE)
  }

  async leave(id: string): Promise<void> {
    await this.#database.write(
      (transaction) => sql`delete from replica_reports where id = ${id}`.execute(transaction),
      {
        ...AT_ONCE,
      },
    )
  }
}

/** Another version may write other fields. */
function reportOf(id: string, text: string): ReplicaReport {
  const read = JSON.parse(text) as Partial<ReplicaReport>
  const counts = isRecord(read.counts) ? Object.entries(read.counts) : []
  return {
    id,
    version: String(read.version ?? ''),
    file: String(read.file ?? ''),
    counts: Object.fromEntries(counts.filter((each): each is [string, number] => typeof each[1] === 'number')),
  }
}
