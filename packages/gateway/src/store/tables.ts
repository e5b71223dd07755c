import type { Generated } from 'kysely'

/** A flag: both databases keep it as a number. */
export type Flag = 0 | 1

interface Entry {
  id: string
  /** Order of priority, or of creation where nobody says. */
  position: number
  created_at: number
  updated_at: number
}

/** `config` has what no column has. `env`, `headers` and `auth` are encrypted. */
export interface ServerRow extends Entry {
  config: string
  tool_permissions: string | null
  env: string | null
  headers: string | null
  auth: string | null
}

/** `optimization` is null while tool search is off; it counts only where the project says it at all. */
export interface ProjectRow extends Entry {
  name: string | null
  says_optimization: Flag
  optimization: string | null
  lists_servers: Flag
  lists_tools: Flag
  config: string
}

/** Servers may be declared in a file: that they exist is not for the database to say. */
export interface ProjectServerRow {
  project_id: string
  position: number
  server_id: string
}

/** What a project says of one tool. */
export interface ProjectToolRow {
  project_id: string
  position: number
  tool_key: string
  allowed: Flag | null
  defer_loading: Flag | null
  pinned: Flag | null
  name: string | null
  description: string | null
  config: string
}

/** An endpoint; its project may be declared in a file. */
export interface EndpointRow extends Entry {
  project_id: string
  config: string
}

/** A token, without its secret. */
export interface TokenRow extends Entry {
  name: string
  kind: 'client' | 'admin'
  hash: string
  projects: string | null
  servers: string | null
  read_only: Flag
  expires_at: number | null
  last_used_at: number | null
}

/** Who searched or called what. `details` has what nobody filters by. */
export interface AuditRow {
  id: Generated<number>
  at: number
  kind: 'search' | 'call'
  request_id: string
  token_id: string
  project_id: string
  endpoint_id: string
  server_id: string | null
  tool_key: string | null
  outcome: string
  duration_ms: number
  details: string
}

/** What a client loaded on one day. `client_key` stands for the four texts that say who it was. */
export interface CostRow {
  day: number
  client_key: string
  endpoint_id: string
  project_id: string
  token_id: string
  client_name: string | null
  /** When the first of it was counted. */
  since: number
  lists: number
  searches: number
  if_all_were_listed: number
  of_lists: number
  of_searches: number
  of_schemas: number
}

/** Every table of the store. */
export interface Tables {
  servers: ServerRow
  projects: ProjectRow
  project_servers: ProjectServerRow
  project_tools: ProjectToolRow
  endpoints: EndpointRow
  tokens: TokenRow
  settings: { name: string; value: string }
  logins: { server_id: string; login: string; updated_at: number }
  tool_snapshots: {
    server_id: string
    origin: string
    hash: string
    instructions: string | null
    lists: string
    saved_at: number
  }
  audit_entries: AuditRow
  /** Batches that were written lately, of entries and of costs: one whose answer was lost is not written twice. */
  audit_batches: { id: string; at: number }
  context_costs: CostRow
  /** One row. */
  store_state: { id: 1; revision: number; cursor_key: string }
  store_migrations: { version: number; name: string; applied_at: number }
}
