import type { AuditRepository } from './audit.ts'
import type { ClientCost } from './context-cost.ts'
import type { LastGoodStore } from './last-good.ts'
import type { UseRepository } from './learned-use.ts'
import type { PinChange, PinRepository } from './pins.ts'
import type { StoredEndpoint, StoredProject, StoredServer, StoredState, StoredToken } from './stored-state.ts'

/** The database of the gateway: a SQLite file or PostgreSQL. Both pass the same contract tests. */
export interface Store {
  /** The state as last read or changed by this process; synchronous. */
  current(): StoredState
  /** Reads the state again, for changes of other gateways. */
  refresh(): Promise<StoredState>
  /**
   * Makes a change in a transaction; changes are serialised. `work` receives the state inside the transaction; its error
   * rolls the change back. Resolves when the change is on disk and listeners were notified.
   * @throws GatewayError STORE_UNAVAILABLE if the database is locked, full or unavailable
   */
  change<Result>(work: (changes: StateChanges) => Promise<Result> | Result): Promise<Result>
  /** Notifies of every change, also by other processes. Returns the function that unsubscribes. */
  onChange(listener: (state: StoredState, previous: StoredState) => void): () => void
  /** Records the use of a token; written later, in batches. */
  noteTokenUse(tokenId: string, at: number): void
  readonly audit: AuditRepository
  readonly costs: CostRepository
  /** What searches learnt from use. */
  readonly learned: UseRepository
  readonly lastGood: LastGoodStore
  readonly logins: LoginStore
  readonly pins: PinRepository
  /** Checks the health, for `doctor` and the admin API. */
  check(): Promise<StoreHealth>
  /** A key for signatures, derived from the secret key for one purpose. A copy of the database does not contain it. */
  signingKey(purpose: string): Buffer
  /** Encrypts all secrets again with a new key. */
  rotateSecrets(): Promise<{ readonly rotated: number }>
  close(): Promise<void>
}

/** The changes of a transaction. A `put` replaces the entry with the same id. */
export interface StateChanges {
  /** The state at the start of the transaction. */
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
  /** Returns the ids of pins that are not as expected and were left alone. */
  putPins(changes: readonly PinChange[]): Promise<ReadonlySet<string>>
}

/** The health of a database. */
export interface StoreHealth {
  readonly kind: 'sqlite' | 'postgres'
  /** A file, or an address without user and password. */
  readonly place: string
  readonly ok: boolean
  /** One sentence per problem. */
  readonly problems: readonly string[]
  /** The secrets that no available key decrypts; one entry per server or login. */
  readonly unreadableSecrets: readonly { readonly reason: string; readonly remedy: string }[]
  readonly schemaVersion: number
  readonly latestBackupAt?: number
}

/** The storage of logins at servers: tokens, the registered client, the state of a login in progress. Encrypted at rest. */
export interface LoginStore {
  /** `undefined` if there is no login, or it cannot be decrypted. */
  load(serverId: string): Promise<Readonly<Record<string, unknown>> | undefined>
  save(serverId: string, login: Readonly<Record<string, unknown>>): Promise<void>
  remove(serverId: string): Promise<void>
}

/** The storage of context costs, by day. */
export interface CostRepository {
  /** Adds costs to the day of `at`. A batch that is sent again under the same id counts once. */
  add(costs: readonly ClientCost[], at: number, batchId: string): Promise<void>
  /** Sums over all stored days. */
  sums(): Promise<KeptCosts>
  /** Removes days that ended before a time. */
  prune(before: number): Promise<void>
}

/** The stored costs. */
export interface KeptCosts {
  /** When the first cost was counted. */
  readonly since?: number
  /** One entry per client and endpoint. */
  readonly costs: readonly ClientCost[]
}
