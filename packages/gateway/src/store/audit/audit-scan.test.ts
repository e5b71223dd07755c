import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { silentLogger } from '../../telemetry/logger.ts'
import { openPostgres } from '../postgres/open-postgres.ts'
import { type PostgresUnderTest, postgresUnderTest } from '../postgres/postgres-under-test.case.ts'
import type { SqlDatabase } from '../sql-database.ts'
import { TIME_LIMIT_MS } from '../store-contract.case.ts'
import { conditionsOf } from './audit-rows.ts'
import { withinRange } from './audit-scan.ts'

describe('withinRange', { timeout: TIME_LIMIT_MS }, () => {
  let place: PostgresUnderTest
  let database: SqlDatabase
  beforeEach(async () => {
    place = await postgresUnderTest()
    await place.open()
    database = openPostgres(place.url, { logger: silentLogger(), retryForMs: 5_000 }).database
    await place.ask(`
      insert into audit_entries
        (at, kind, request_id, token_id, project_id, endpoint_id, server_id, tool_key, outcome, duration_ms, details)
      select n, 'call', n::text, 't', 'p' || (n % 4), 'e', 's', 's:t', 'ok', 1, repeat(' ', 500)
      from generate_series(1, 20000) as n`)
    await place.ask('vacuum analyze audit_entries')
  }, TIME_LIMIT_MS)
  afterEach(async () => {
    await database.close()
    await place.end()
  }, TIME_LIMIT_MS)

  it('reads the entries of one project only, even if PostgreSQL would prefer a scan by time', async () => {
    const [leading] = conditionsOf({ projectId: 'p3' }).indexed
    for (const newestFirst of [true, false]) {
      for (const bounds of [{}, { from: 500, until: 15_000 }]) {
        for (const after of [undefined, { at: 9_003, id: 9_003 }]) {
          const plan = await database.scan((db) => {
            const entries = db.selectFrom('audit_entries').select(['id', 'at', 'endpoint_id'])
            return withinRange(entries, { leading, newestFirst, ...bounds }, after)
              .limit(500)
              .explain()
          })
          expect(JSON.stringify(plan)).toContain('audit_by_project_id')
        }
      }
    }
  })
})
