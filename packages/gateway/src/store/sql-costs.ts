import { createHash } from 'node:crypto'
import { type ExpressionBuilder, sql } from 'kysely'
import type { ClientCost } from '../model/context-cost.ts'
import type { CostRepository, KeptCosts } from '../model/store.ts'
import { claimBatch, type SqlDatabase } from './sql-database.ts'
import { fromStorable, toStorable } from './storable-text.ts'
import type { CostRow, Tables } from './tables.ts'

/** Rows per statement; databases limit the number of values. */
const PORTION = 200
/** Short, because the caller keeps its costs and retries. */
const RETRY_FOR_MS = 1_000

/** Context costs in a database: one row per client and day. */
export class SqlCosts implements CostRepository {
  readonly #database: SqlDatabase
  readonly #now: () => number

  constructor({ database, now }: { readonly database: SqlDatabase; readonly now: () => number }) {
    this.#database = database
    this.#now = now
  }

  async add(costs: readonly ClientCost[], at: number, batchId: string): Promise<void> {
    // A fixed order of rows avoids deadlocks between gateways.
    const rows = costs
      .map((cost) => toCostRow(cost, at))
      .toSorted((one, other) => (one.client_key < other.client_key ? -1 : 1))
    await this.#database.write(
      async (transaction) => {
        if (!(await claimBatch(transaction, batchId, this.#now()))) return
        for (let from = 0; from < rows.length; from += PORTION) {
          await transaction
            .insertInto('context_costs')
            .values(rows.slice(from, from + PORTION))
            .onConflict((conflict) => conflict.columns(['day', 'client_key']).doUpdateSet(added))
            .execute()
        }
      },
      // A few rows are not worth a thread.
      { isQuick: true, isBulk: rows.length > PORTION, retryForMs: RETRY_FOR_MS },
    )
  }

  async sums(): Promise<KeptCosts> {
    const who = ['endpoint_id', 'project_id', 'token_id', 'client_name'] as const
    const rows = await this.#database.scan((db) =>
      db
        .selectFrom('context_costs')
        .select([...who, (eb) => eb.fn.min<number>('since').as('since')])
        .select(Object.values(SUM_COLUMNS).map((name) => sql<number>`cast(sum(${sql.ref(name)}) as bigint)`.as(name)))
        .groupBy(who)
        .execute(),
    )
    const since = rows.reduce((first, row) => Math.min(first, row.since), Infinity)
    return {
      costs: rows.map((row) => fromCostRow(row as Omit<CostRow, 'day' | 'client_key'>)),
      ...(since !== Infinity && { since }),
    }
  }

  async prune(before: number): Promise<void> {
    const day = dayOf(before)
    // Mostly there is nothing to remove, for which no thread has to start.
    const old = await this.#database.read((db) =>
      db.selectFrom('context_costs').select('day').where('day', '<', day).limit(1).executeTakeFirst(),
    )
    if (old === undefined) return
    await this.#database.write(
      (transaction) => transaction.deleteFrom('context_costs').where('day', '<', day).execute(),
      { isBulk: true, retryForMs: RETRY_FOR_MS },
    )
  }
}

type Conflict = ExpressionBuilder<Tables & { excluded: CostRow }, 'context_costs' | 'excluded'>

function added(eb: Conflict): Record<string, ReturnType<Conflict>> {
  const names = Object.values(SUM_COLUMNS)
  return Object.fromEntries(
    names.map((name) => [name, eb(`context_costs.${name}`, '+', eb.ref(`excluded.${name}`))]),
  ) as Record<string, ReturnType<Conflict>>
}

const DAY_MS = 24 * 60 * 60 * 1_000

/** The summed columns, by field of the cost. */
const SUM_COLUMNS = {
  lists: 'lists',
  searches: 'searches',
  ifAllWereListed: 'if_all_were_listed',
  ofLists: 'of_lists',
  ofSearches: 'of_searches',
  ofSchemas: 'of_schemas',
} as const satisfies Record<keyof ClientCost['cost'], keyof CostRow>

/** The first millisecond of the UTC day of a time. */
function dayOf(at: number): number {
  return Math.floor(at / DAY_MS) * DAY_MS
}

/** The row of a cost on the day of a time. */
function toCostRow({ client, cost }: ClientCost, at: number): CostRow {
  const { endpointId, projectId, tokenId, clientName } = client
  // Hashed, because names and ids may be too long for an index.
  const who = JSON.stringify([endpointId, projectId, tokenId, clientName ?? null])
  return {
    day: dayOf(at),
    client_key: createHash('sha256').update(who, 'utf16le').digest('base64url'),
    endpoint_id: toStorable(endpointId),
    project_id: toStorable(projectId),
    token_id: toStorable(tokenId),
    client_name: clientName === undefined ? null : toStorable(clientName),
    since: at,
    lists: cost.lists,
    searches: cost.searches,
    if_all_were_listed: cost.ifAllWereListed,
    of_lists: cost.ofLists,
    of_searches: cost.ofSearches,
    of_schemas: cost.ofSchemas,
  }
}

/** The cost of a summed row. */
function fromCostRow(row: Omit<CostRow, 'day' | 'client_key'>): ClientCost {
  return {
    client: {
      endpointId: fromStorable(row.endpoint_id),
      projectId: fromStorable(row.project_id),
      tokenId: fromStorable(row.token_id),
      ...(row.client_name !== null && { clientName: fromStorable(row.client_name) }),
    },
    cost: {
      lists: row.lists,
      searches: row.searches,
      ifAllWereListed: row.if_all_were_listed,
      ofLists: row.of_lists,
      ofSearches: row.of_searches,
      ofSchemas: row.of_schemas,
    },
  }
}
