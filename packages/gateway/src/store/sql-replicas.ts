import type { Owned, Replica, ReplicaRepository, SeenReplica } from '../model/replicas.ts'
import type { SqlDatabase } from './sql-database.ts'
import type { Sql } from './sql-dialect.ts'

/** Replicas that gave no sign of life for this long are removed. */
const FORGOTTEN_AFTER_MS = 10 * 60_000
/** How often expired rows are removed. */
const PRUNE_MS = 10 * 60_000
/** Short, because requests wait for it. */
const QUICK = { isQuick: true, retryForMs: 2_000 } as const

/** Replicas and what they own, in a database. */
export class SqlReplicas implements ReplicaRepository {
  readonly #database: SqlDatabase
  #prunedAt = Number.NEGATIVE_INFINITY

  constructor({ database }: { readonly database: SqlDatabase }) {
    this.#database = database
  }

  beat({ id, url, isLeaving }: Replica): Promise<{ now: number; replicas: readonly SeenReplica[] }> {
    return this.#database.write(async (transaction) => {
      const now = await this.#now(transaction)
      const row = { url, is_leaving: isLeaving ? (1 as const) : (0 as const), seen_at: now }
      await transaction
        .insertInto('replicas')
        .values({ id, ...row })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
        .execute()
      const rows = await transaction.selectFrom('replicas').selectAll().execute()
      const forgotten = rows.filter(({ seen_at }) => seen_at < now - FORGOTTEN_AFTER_MS)
      for (const each of forgotten) await transaction.deleteFrom('replicas').where('id', '=', each.id).execute()
      const replicas = rows.map((each) => ({
        ...{ id: each.id, url: each.url, isLeaving: each.is_leaving === 1, seenAt: each.seen_at },
      }))
      return { now, replicas }
    }, QUICK)
  }

  async remove(id: string): Promise<void> {
    await this.#database.write(
      (transaction) => transaction.deleteFrom('replicas').where('id', '=', id).execute(),
      QUICK,
    )
  }

  find(subject: string): Promise<Owned | undefined> {
    return this.#database.read((db) => this.#find(db, subject))
  }

  claim(subject: string, ownerId: string, from: string, until: number): Promise<Owned> {
    return this.#write(async (transaction) => {
      await transaction
        .insertInto('owned')
        .values({ subject, owner_id: ownerId, has_ended: 0, state: null, until })
        .onConflict((conflict) =>
          conflict
            .column('subject')
            .doUpdateSet({ owner_id: ownerId })
            .where('owned.has_ended', '=', 0)
            .where((eb) => eb.or([eb('owned.owner_id', 'is', null), eb('owned.owner_id', '=', from)])),
        )
        .execute()
      return (await this.#find(transaction, subject)) ?? { ownerId, hasEnded: false }
    })
  }

  async keep(subject: string, state: string, until: number): Promise<void> {
    await this.#write((transaction) =>
      transaction
        .insertInto('owned')
        .values({ subject, owner_id: null, has_ended: 0, state, until })
        .onConflict((conflict) => conflict.column('subject').doUpdateSet({ state }))
        .execute(),
    )
  }

  async end(subject: string, until: number): Promise<void> {
    await this.#write((transaction) =>
      transaction
        .insertInto('owned')
        .values({ subject, owner_id: null, has_ended: 1, state: null, until })
        .onConflict((conflict) => conflict.column('subject').doUpdateSet({ has_ended: 1, state: null, owner_id: null }))
        .execute(),
    )
  }

  #write<Result>(work: (transaction: Sql) => Promise<Result>): Promise<Result> {
    return this.#database.write(async (transaction) => {
      const result = await work(transaction)
      if (performance.now() - this.#prunedAt > PRUNE_MS) {
        this.#prunedAt = performance.now()
        await transaction
          .deleteFrom('owned')
          .where('until', '<', await this.#now(transaction))
          .execute()
      }
      return result
    }, QUICK)
  }

  async #find(db: Sql, subject: string): Promise<Owned | undefined> {
    const row = await db.selectFrom('owned').selectAll().where('subject', '=', subject).executeTakeFirst()
    if (row === undefined) return undefined
    const { owner_id: ownerId, has_ended, state } = row
    return { hasEnded: has_ended === 1, ...(ownerId !== null && { ownerId }), ...(state !== null && { state }) }
  }

  async #now(db: Sql): Promise<number> {
    const { dialect } = this.#database
    const { now } = await db.selectNoFrom(dialect.now.as('now')).executeTakeFirstOrThrow()
    return now
  }
}
