import { sql } from 'kysely'
import { type AuditFilter, type ToolUsage, USAGE_LEAST_MS, USAGE_STEPS } from '../../model/audit.ts'
import type { SqlDatabase } from '../sql-database.ts'
import type { Sql } from '../sql-dialect.ts'
import { fromStorable } from '../storable-text.ts'
import type { Condition } from './audit-rows.ts'
import { bySpans } from './audit-sums.ts'

/** Entries per query. Durations are in no index, so that the query reads the rows themselves. */
const PORTION = 10_000

interface UsageRow {
  readonly server: string
  readonly tool: string
  /** The steps of all calls that the server answered, with commas; null without any. */
  readonly steps: string | null
  readonly calls: number
  readonly errors: number
  readonly last: number
}

/** Sums up the calls of every tool, one time span after the other. */
export async function usageOfTools(database: SqlDatabase, filter: AuditFilter): Promise<ToolUsage[]> {
  const tools = new Map<string, ToolUsage & { durations: Map<number, number> }>()
  await bySpans(database, { ...filter, kind: 'call' }, PORTION, async (db, condition) => {
    for (const row of await usageOfSpan(db, condition)) {
      const key = JSON.stringify([row.server, row.tool])
      const known = tools.get(key)
      const durations = known?.durations ?? new Map<number, number>()
      for (const step of row.steps?.split(',').map(Number) ?? []) durations.set(step, (durations.get(step) ?? 0) + 1)
      tools.set(key, {
        serverId: fromStorable(row.server),
        toolKey: fromStorable(row.tool),
        calls: (known?.calls ?? 0) + row.calls,
        errors: (known?.errors ?? 0) + row.errors,
        lastAt: Math.max(known?.lastAt ?? 0, row.last),
        durations,
      })
    }
  })
  return [...tools.values()]
}

/** Calls without a server named no tool that exists for their caller. */
const NAMES_A_TOOL: Condition = (eb) => eb.and([eb('kind', '=', 'call'), eb('server_id', '<>', '')])

function usageOfSpan(db: Sql, condition: Condition): Promise<UsageRow[]> {
  const ms = sql`case when duration_ms < ${sql.lit(USAGE_LEAST_MS)} then ${sql.lit(USAGE_LEAST_MS)} else duration_ms end`
  const step = sql`case when outcome in ('ok', 'tool-error')
    then cast(cast(floor(ln(${ms}) * ${sql.lit(USAGE_STEPS)}) as integer) as text) end`
  return db
    .selectFrom('audit_entries')
    .select([
      sql<string>`server_id`.as('server'),
      sql<string>`tool_key`.as('tool'),
      sql<string | null>`string_agg(${step}, ',')`.as('steps'),
      sql<number>`count(*)`.as('calls'),
      sql<number>`count(case when outcome <> 'ok' then 1 end)`.as('errors'),
      sql<number>`max(at)`.as('last'),
    ])
    .where(condition)
    .where(NAMES_A_TOOL)
    .groupBy(['server_id', 'tool_key'])
    .execute()
}
