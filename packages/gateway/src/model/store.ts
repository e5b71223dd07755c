import type { AuditRepository } from './audit.ts'
import type { ClientCost } from './context-cost.ts'
import type { LastGoodStore } from './last-good.ts'
import type { UseRepository } from './learned-use.ts'
import type { ReplicaRepository } from './replicas.ts'
import type { PinChange, PinRepository } from './pins.ts'
import type { SharedLimits } from './shared-limits.ts'
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
  /**
   * Notifies how long a change of another gateway took to be applied here, from its transaction on, by the clock of the database.
   * Returns the function that unsubscribes.
   */
  onLag(listener: (ms: number) => void): () => void
  /** Records the use of a token; written later, in batches. */
  noteTokenUse(tokenId: string, at: number): void
  /** When tokens were last used, at any gateway; without those that never were. */
  lastUses(tokenIds: readonly string[]): Promise<ReadonlyMap<string, number>>
  readonly audit: AuditRepository
  readonly costs: CostRepository
  /** What searches learnt from use. */
  readonly learned: UseRepository
  readonly lastGood: LastGoodStore
  readonly logins: LoginStore
  readonly pins: PinRepository
  /** Absent where only one gateway uses the database. */
  readonly limits?: SharedLimits
  /**
   * Takes turns with the other gateways on the database: at any time one of them does what the name stands for. Absent where
   * only one gateway uses the database.
   */
  takeTurns?(name: string, onTurn: (isOurs: boolean) => void): Turn
  /** What is known of the database without asking it. */
  figures(): StoreFigures
  readonly replicas: ReplicaRepository
  /** Checks the health, for `doctor` and the admin API. */
  check(): Promise<StoreHealth>
  /** A key for signatures, derived from the secret key for one purpose. A copy of the database does not contain it. */
  signingKey(purpose: string): Buffer
  /** The same for every available key, the current one first: for what may have been sealed before a change of keys. */
  signingKeys(purpose: string): readonly Buffer[]
  /** Encrypts all secrets again with a new key. */
  rotateSecrets(): Promise<{ readonly rotated: number }>
  close(): Promise<void>
}

/** A place in the line of those who take turns. */
export interface Turn {
  /** Leaves the line; the next one has its turn. */
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

/** Figures of a database, for metrics. */
export interface StoreFigures {
  /** Whether the last transactions succeeded, and one of them a moment ago. */
  readonly isReachable: boolean
  /** The gateway started without the database and serves the state that it last knew. */
  readonly isBehind?: boolean
  /** Attempts that failed since the start because the database was locked or unavailable. */
  readonly failures: number
  /** Absent where there is no pool of connections. */
  readonly pool?: PoolFigures
}

/** A pool of connections. */
export interface PoolFigures {
  readonly busy: number
  readonly idle: number
  /** Transactions that wait for a connection now. */
  readonly waiting: number
  /** Connections that were handed out since the start. */
  readonly acquired: number
  /** How long transactions waited for them, in all. */
  readonly waitedMs: number
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
