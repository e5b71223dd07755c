import { type ExpressionBuilder, sql } from 'kysely'
import type { CostRepository, KeptCosts } from '../../model/store.ts'
import type { ClientCost } from '../../model/context-cost.ts'
import { isFirstTime } from '../first-time.ts'
import type { SqlDatabase } from '../sql-database.ts'
import type { CostRow, Tables } from '../tables.ts'
import { dayOf, fromCostRow, SUM_COLUMNS, toCostRow } from './cost-rows.ts'

/** Rows of one statement: databases take so many values only. */
const PORTION = 200
/** Who adds keeps what was not taken and comes again. */
const PATIENCE_MS = 1_000

/** What clients loaded, in a database: a row for each of them and each day. */
export class SqlCosts implements CostRepository {
  readonly #database: SqlDatabase
  readonly #now: () => number

  constructor({ database, now }: { readonly database: SqlDatabase; readonly now: () => number }) {
    this.#database = database
    this.#now = now
  }

  async add(costs: readonly ClientCost[], at: number, batchId: string): Promise<void> {
    // Two gateways that write the same rows in another order would wait for each other.
    const rows = costs
      .map((cost) => toCostRow(cost, at))
      .toSorted((one, other) => (one.client_key < other.client_key ? -1 : 1))
    await this.#database.write(
      async (transaction) => {
        if (!(await isFirstTime(transaction, batchId, this.#now()))) return
        for (let from = 0; from < rows.length; from += PORTION) {
          await transaction
            .insertInto('context_costs')
            .values(rows.slice(from, from + PORTION))
            .onConflict((conflict) => conflict.columns(['day', 'client_key']).doUpdateSet(added))
            .execute()
        }
      },
      { isBulk: true, patienceMs: PATIENCE_MS },
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
    await this.#database.write(
      (transaction) => transaction.deleteFrom('context_costs').where('day', '<', dayOf(before)).execute(),
      { isBulk: true, patienceMs: PATIENCE_MS },
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
