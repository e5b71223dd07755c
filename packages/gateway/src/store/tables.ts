import type { Generated } from 'kysely'
import type { AuditKind } from '../model/audit.ts'
import type { Approved, PinnedKind } from '../model/pins.ts'

/** A boolean; both databases store it as a number. */
export type Flag = 0 | 1

interface Entry {
  id: string
  /** Order of priority; by default the order of creation. */
  position: number
  created_at: number
  updated_at: number
}

/** A server. `config` has the keys without a column. `env`, `headers`, `auth`, `inputs`, `args` and `url` are encrypted, or null without secrets. */
export interface ServerRow extends Entry {
  config: string
  tool_permissions: string | null
  env: string | null
  headers: string | null
  auth: string | null
  inputs: string | null
  args: string | null
  url: string | null
}

/** A project. `optimization` is null if tool search is off, and valid only if `says_optimization` is 1. */
export interface ProjectRow extends Entry {
  name: string | null
  says_optimization: Flag
  optimization: string | null
  lists_servers: Flag
  lists_tools: Flag
  config: string
}

/** A server of a project. No foreign key, because the server may be declared in a file. */
export interface ProjectServerRow {
  project_id: string
  position: number
  server_id: string
}

/** The settings of one tool in a project. */
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
  /**
   * Admin tokens with a lesser role have it as their kind: programs of earlier releases, which know no roles, accept neither for
   * the admin API. In a column of its own they would not see it, and take a reader for an administrator.
   */
  kind: 'client' | 'admin' | 'operator' | 'reader'
  hash: string
  projects: string | null
  servers: string | null
  tools: string | null
  read_only: Flag
  expires_at: number | null
  last_used_at: number | null
}

/** The last lists of a server, as JSON. */
export interface ToolSnapshotRow {
  server_id: string
  origin: string
  hash: string
  instructions: string | null
  lists: string
  saved_at: number
}

/** An audit entry. `details` has the fields without a filter, `queries` the texts of a search and their salt. */
export interface AuditRow {
  id: Generated<number>
  at: number
  kind: AuditKind
  request_id: string
  token_id: string
  project_id: string
  endpoint_id: string
  server_id: string | null
  tool_key: string | null
  outcome: string
  duration_ms: number
  details: string
  /** Null, like `hash`, in entries of releases without a chain. */
  seq: number | null
  hash: string | null
  queries: string | null
}

/** The costs of a client on one day. `client_key` is a hash of the four columns that identify it. */
export interface CostRow {
  day: number
  client_key: string
  endpoint_id: string
  project_id: string
  token_id: string
  client_name: string | null
  /** When the first cost was counted. */
  since: number
  lists: number
  searches: number
  if_all_were_listed: number
  of_lists: number
  of_searches: number
  of_schemas: number
}

/** A learnt use. `use_key` is a hash of the four columns that identify it, `revision` the change that wrote it. */
export interface LearnedUseRow {
  use_key: string
  project_id: string
  query: string
  tool_key: string
  token_id: string
  weight: number
  used_at: number
  revision: number
}

/** An approved or blocked definition. `pin_hash` is a hash of kind and name, because names may be too long for a key. */
export interface PinRow {
  server_id: string
  pin_hash: string
  kind: PinnedKind
  name: string
  /** Null, like the other columns of an approval, if the definition is only blocked. */
  hash: string | null
  how: Approved['how'] | null
  decided_by: string | null
  decided_at: number | null
  changes: number
  /** A JSON list. */
  claims: string | null
  definition: string | null
  previous: string | null
  blocked_hash: string | null
  blocked_by: string | null
  blocked_at: number | null
}

/** A change in the feed that gateways follow: which row a revision changed, and how. */
export interface StateChangeRow {
  revision: number
  /** The order within the revision. */
  seq: number
  kind: 'server' | 'project' | 'endpoint' | 'token' | 'setting' | 'pins'
  entry_id: string
  how: 'put' | 'remove' | 'order'
  /** When it was made, by the clock of the database; null for changes of earlier releases. */
  at: number | null
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
  tool_snapshots: ToolSnapshotRow
  audit_entries: AuditRow
  /** Recent batches of entries and costs, so that a batch whose confirmation was lost is not written twice. */
  audit_batches: { id: string; at: number }
  /** One row: the last entry of the chain, and the last one that retention has removed. */
  audit_chain: { id: 1; seq: number; hash: string; start_seq: number; start_hash: string }
  context_costs: CostRow
  learned_uses: LearnedUseRow
  /** One row: the number of the last change of uses, and of the last one that removed some. */
  learned_state: { id: 1; latest: number; forgotten: number }
  pins: PinRow
  /** A rate limit of all replicas: the tokens that were left at a time (epoch seconds), and the last lease. */
  limit_buckets: {
    key: string
    per_minute: number
    wanted: number
    returned: number
    granted: number
    tokens: number
    at: number
  }
  /** What each replica has open. `seen_at` is in epoch seconds. */
  replica_reports: { id: string; report: string; seen_at: number }
  state_changes: StateChangeRow
  /** The gateways that run on this database. */
  replicas: { id: string; url: string; is_leaving: Flag; seen_at: number }
  /** Things that live in one gateway: their owner if it is another than the first one, and their state, until a time. */
  owned: { subject: string; owner_id: string | null; has_ended: Flag; state: string | null; until: number }
  /** One row. */
  store_state: { id: 1; revision: number; cursor_key: string }
  /** One row: the schema version, and the oldest one whose programs may serve on it. */
  store_schema: { id: 1; version: number; oldest_program: number }
  store_migrations: { version: number; name: string; applied_at: number }
}
