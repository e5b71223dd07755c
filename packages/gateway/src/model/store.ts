import type { AuditRepository } from './audit.ts'
import type { LastGoodStore } from './last-good.ts'
import type { ClientCost } from './context-cost.ts'
import type { StoredEndpoint, StoredProject, StoredServer, StoredState, StoredToken } from './stored-state.ts'

/** Where decisions are kept: one SQLite file, or PostgreSQL. Both behave alike; one suite of tests proves it. */
export interface Store {
  /** As it was last read or changed here; never waits. */
  current(): StoredState
  /** Reads anew; for a database that others write to. */
  refresh(): Promise<StoredState>
  /**
   * Changes are atomic and one after the other. `work` sees the state inside the transaction and decides on it; what it
   * throws undoes everything. Resolves when the change is on disk, after listeners were told.
   * @throws GatewayError STORE_UNAVAILABLE when the database cannot take the change now (locked, full, gone).
   */
  change<Result>(work: (changes: StateChanges) => Promise<Result> | Result): Promise<Result>
  /** Told after a change, whoever made it (another process on PostgreSQL included). */
  onChange(listener: (state: StoredState, previous: StoredState) => void): () => void
  /** Notes the use of tokens without keeping anybody waiting; written in batches. */
  noteTokenUse(tokenId: string, at: number): void
  readonly audit: AuditRepository
  readonly costs: CostRepository
  readonly lastGood: LastGoodStore
  readonly logins: LoginStore
  /** What `doctor` and health checks ask. */
  check(): Promise<StoreHealth>
  /** Encrypts all secrets anew under a new key. */
  rotateSecrets(): Promise<{ readonly rotated: number }>
  close(): Promise<void>
}

/** What a transaction may do. Putting replaces what has the same id. */
export interface StateChanges {
  /** What holds in this transaction, before its changes. */
  readonly state: StoredState
  putServer(server: StoredServer): Promise<void>
  removeServer(id: string): Promise<void>
  /** All server ids, in their new order of priority. */
  orderServers(ids: readonly string[]): Promise<void>
  putProject(project: StoredProject): Promise<void>
  removeProject(id: string): Promise<void>
  putEndpoint(endpoint: StoredEndpoint): Promise<void>
  removeEndpoint(id: string): Promise<void>
  putToken(token: StoredToken): Promise<void>
  removeToken(id: string): Promise<void>
  putSetting(name: string, value: unknown): Promise<void>
}

/** The state of a database. */
export interface StoreHealth {
  readonly kind: 'sqlite' | 'postgres'
  /** A file, or an address without user and password. */
  readonly place: string
  readonly ok: boolean
  /** A sentence for each thing that is wrong. */
  readonly problems: readonly string[]
  readonly schemaVersion: number
  readonly latestBackupAt?: number
}

/** What a login at a server left: tokens, the registered client, what a login under way must remember. Encrypted at rest. */
export interface LoginStore {
  /** `undefined` for what was never saved, or cannot be decrypted any more. */
  load(serverId: string): Promise<Readonly<Record<string, unknown>> | undefined>
  save(serverId: string, login: Readonly<Record<string, unknown>>): Promise<void>
  remove(serverId: string): Promise<void>
}

/** What clients loaded into contexts, by the day. */
export interface CostRepository {
  /** Adds to the day of a moment; a batch of the same id once, however often it is sent. */
  add(costs: readonly ClientCost[], at: number, batchId: string): Promise<void>
  /** Sums over all days that are kept. */
  sums(): Promise<KeptCosts>
  /** Removes the days that were over before a moment. */
  prune(before: number): Promise<void>
}

/** What is kept of what clients loaded. */
export interface KeptCosts {
  /** When the first of it was counted. */
  readonly since?: number
  /** One for each client and endpoint. */
  readonly costs: readonly ClientCost[]
}
