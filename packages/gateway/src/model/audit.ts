import type { AdminRole } from '@tooldex/contract/admin'

/** A durable record of a search, a call, an administrative act or refused tokens; without arguments and results. */
export type AuditEntry = AuditCommon & (SearchEntry | CallEntry | ChangeEntry | RefusalEntry)

/** The kinds of entries. */
export type AuditKind = AuditEntry['kind']

/** How a request reached the gateway. `stateless-http` is Streamable HTTP of 2026-07-28. */
export type AuditTransport =
  | 'streamable-http'
  | 'stateless-http'
  | 'sse'
  | 'stdio'
  | 'console'
  | 'admin-api'
  | 'command-line'

/** The program that sent a request, as it names itself, and its transport. */
export interface AuditedClient {
  /** Absent in entries of earlier releases only. */
  readonly transport?: AuditTransport
  readonly clientName?: string
  readonly clientVersion?: string
}

interface AuditCommon extends AuditedClient {
  readonly at: number
  readonly requestId: string
  readonly tokenId: string
  readonly projectId: string
  readonly endpointId: string
  readonly durationMs: number
  /** `ok` (also if the answer asks for input), `tool-error` (an isError result of the server), or an error code. */
  readonly outcome: string
}

interface SearchEntry {
  readonly kind: 'search'
  readonly queryCount: number
  /** Their texts, without secrets, for a limited time; absent if they are not kept. */
  readonly queries?: readonly string[]
  readonly resultKeys: readonly string[]
  readonly answeredBy: string
  readonly degraded?: string
  /** Codes of the reasons why the answer was empty or incomplete, such as `SERVERS_FAILED`; absent if it was neither. */
  readonly notices?: readonly string[]
}

interface CallEntry {
  readonly kind: 'call'
  /** Empty if the text in `toolKey` names no tool within the caller's reach. */
  readonly serverId: string
  /** The key of the tool, or the text that the caller wrote; empty if it named none. */
  readonly toolKey: string
  /** Of the arguments; 0 if the call was refused before it had any. */
  readonly requestBytes: number
  readonly resultBytes: number
}

interface ChangeEntry {
  readonly kind: 'change'
  /** The operation of the admin API, such as `changeServer`. */
  readonly action: string
  /** The entry that the request named; empty if it named none. */
  readonly target: string
  /** The role of the token at that time; absent in entries of earlier releases. */
  readonly role?: AdminRole
  /** What was changed; empty for acts that change no configuration. */
  readonly changes: readonly AuditedChange[]
}

/** A changed entry of the configuration, without its values. */
export interface AuditedChange {
  readonly of: 'server' | 'project' | 'endpoint' | 'token' | 'setting'
  readonly id: string
  /** The name at that time; an id says little once the entry is removed. Absent where none was given. */
  readonly name?: string
  readonly how: 'added' | 'changed' | 'removed'
  /** Names of changed fields; empty unless `how` is `changed`. */
  readonly fields: readonly string[]
}

interface RefusalEntry {
  readonly kind: 'refusal'
  readonly address: string
  /** How many requests of the address were refused between `at` and `lastAt`. */
  readonly count: number
  readonly lastAt: number
}

/** Whether a call was refused before it was made, so that its duration says nothing of its server. */
export const wasRefused = ({ requestBytes }: CallEntry): boolean => requestBytes === 0

/** Records entries without blocking the request. */
export interface AuditLog {
  record(entry: AuditEntry): void
  /** Absent in logs that store at once. */
  backlog?(): AuditBacklog
}

/** How far a log is behind. */
export interface AuditBacklog {
  /** Entries that wait to be written. */
  readonly waiting: number
  /** Entries that were lost since the start: too many waited, or they could not be written. */
  readonly lost: number
}

/** A stored entry. Ids grow in the order of recording. */
export type StoredAuditEntry = AuditEntry & {
  readonly id: string
  /** Absent in entries of releases without a chain. */
  readonly chain?: ChainLink
  /** The stored row is malformed; what could not be read is empty. */
  readonly isDamaged?: true
}

/** The place of an entry in the chain. */
export interface ChainLink {
  /** The process that wrote it to a file; absent in databases, where all processes write one chain. */
  readonly writer?: string
  /** Starts at 1, without gaps. */
  readonly seq: number
  /** Covers the entry and the hash of the previous one. */
  readonly hash: string
  /** Stands for the query texts in the hash, so that they can be removed. */
  readonly queryDigest?: string
  /** Removed with the texts, so that the digest does not reveal short ones. */
  readonly querySalt?: string
}

/** A point of the chain: everything up to `seq`. */
export interface ChainMark {
  readonly seq: number
  readonly hash: string
}

/** The ends of the stored chain. */
export interface ChainEnds {
  /** The last entry that retention has removed; 0 if there is none. */
  readonly start: ChainMark
  /** The last entry. */
  readonly head: ChainMark
}

/** Selects entries; all given conditions must match. */
export interface AuditFilter {
  readonly kind?: AuditKind
  readonly tokenId?: string
  readonly projectId?: string
  readonly endpointId?: string
  readonly serverId?: string
  readonly toolKey?: string
  readonly requestId?: string
  /** `ok`, a code, or `error` for every outcome but `ok`. */
  readonly outcome?: string
  /** Epoch milliseconds; `from` is inclusive, `until` exclusive. */
  readonly from?: number
  readonly until?: number
}

/** A page of entries, newest first. May have fewer entries than requested, even none, if finding more takes long. */
export interface AuditPage {
  readonly entries: readonly StoredAuditEntry[]
  /** The cursor of the next page; absent on the last one. Valid for the same filter only. */
  readonly nextCursor?: string
}

/** Sums over one time step. */
export interface AuditSums {
  readonly from: number
  readonly searches: number
  readonly calls: number
  readonly errors: number
}

/** How a tool was used: the calls that named it. */
export interface ToolUsage {
  readonly serverId: string
  readonly toolKey: string
  readonly calls: number
  /** Calls with any other outcome than `ok`. */
  readonly errors: number
  readonly lastAt: number
  /** How many calls that the server answered took how long: `floor(ln(ms) · USAGE_STEPS)` → calls. */
  readonly durations: ReadonlyMap<number, number>
}

/** Steps to a factor of e: a duration is known within some 4 %, and a tool has a few dozen steps at most. */
export const USAGE_STEPS = 12
/** Shorter durations count as this, in milliseconds. */
export const USAGE_LEAST_MS = 0.1

/** The storage of audit entries. */
export interface AuditRepository {
  /** Appends atomically. A batch that is sent again under the same id is stored once. */
  append(entries: readonly AuditEntry[], batchId?: string): Promise<void>
  /** @throws GatewayError REQUEST_INVALID for a malformed cursor or one of another filter */
  page(filter: AuditFilter, options: { readonly limit: number; readonly cursor?: string }): Promise<AuditPage>
  /** All matching entries, oldest first, without holding them in memory. Without a filter in the order of recording. */
  stream(filter: AuditFilter): AsyncIterable<StoredAuditEntry>
  /** Sums in steps of `stepMs`, for charts. */
  sums(filter: AuditFilter, stepMs: number): Promise<readonly AuditSums[]>
  /** The use of every tool that was called. */
  usage(
    filter: Pick<AuditFilter, 'projectId' | 'serverId' | 'toolKey' | 'from' | 'until'>,
  ): Promise<readonly ToolUsage[]>
  chainEnds(): Promise<ChainEnds>
  /** Removes old and excess entries from the start of the chain, and old query texts, in small transactions. */
  prune(limits: AuditLimits): Promise<{ readonly removed: number }>
}

/** What `prune` removes. */
export interface AuditLimits {
  /** Entries before this time. */
  readonly before?: number
  /** The oldest entries beyond this number. */
  readonly maxEntries?: number
  /** Query texts before this time; their entries stay. */
  readonly queriesBefore?: number
}
