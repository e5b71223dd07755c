import { sql } from 'kysely'
import type { Sql } from '../flavour.ts'

const FILTERS = ['token_id', 'project_id', 'endpoint_id', 'server_id', 'tool_key'] as const

/** What failed for a token, at a server and so on: few among many, so that looking through all of them takes long. */
export async function failureIndexes(db: Sql): Promise<void> {
  for (const name of FILTERS) {
    await db.schema
      .createIndex(`audit_failures_by_${name}`)
      .on('audit_entries')
      .columns([name, 'at', 'id', 'outcome', 'kind'])
      .where(sql.ref('outcome'), '<>', sql.lit('ok'))
      .execute()
  }
}
