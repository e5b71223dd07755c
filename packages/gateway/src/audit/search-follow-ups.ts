import type { AuditEntry } from '../model/audit.ts'

/** A search in the audit log. */
export type AuditedSearch = Extract<AuditEntry, { readonly kind: 'search' }>
/** A call in the audit log. */
export type AuditedCall = Extract<AuditEntry, { readonly kind: 'call' }>

/** A successful call of a tool that an earlier search of the same caller had found. */
export interface FollowUp {
  readonly search: AuditedSearch
  readonly call: AuditedCall
  /** The place of the tool among the results; 0 is the first. */
  readonly rank: number
  /** How many results before it were not called. */
  readonly unusedAbove: number
}

/** Receivers and limits of {@link SearchFollowUps}. */
export interface FollowUpOptions {
  /** A call follows a search if it begins within this time, in milliseconds. */
  readonly withinMs?: number
  /** Callers that are watched at a time; beyond it the one that was silent for longest is given up. */
  readonly mostCallers?: number
  /** Called for every call that follows a search; several calls may follow one. */
  readonly onFollowed?: (followUp: FollowUp) => void
  /** Called once for every search that no call followed. */
  readonly onIgnored?: (search: AuditedSearch) => void
}

interface OpenSearch {
  readonly search: AuditedSearch
  /** The results that were called. */
  readonly called: Set<string>
}

/** A caller with more open searches is not waiting for their results. */
const MOST_SEARCHES = 20

/**
 * Pairs searches with the calls that follow them, from entries in the order of recording: live ones of the feed, or stored
 * ones. A caller is a token with a client program in a project and endpoint. A call belongs to the latest search that
 * found its tool.
 */
export class SearchFollowUps {
  readonly #withinMs: number
  readonly #mostCallers: number
  readonly #onFollowed: (followUp: FollowUp) => void
  readonly #onIgnored: (search: AuditedSearch) => void
  /** The caller that was active last comes last. */
  readonly #callers = new Map<string, OpenSearch[]>()

  constructor(options: FollowUpOptions) {
    const { withinMs = 5 * 60_000, mostCallers = 2_000, onFollowed = () => {}, onIgnored = () => {} } = options
    this.#withinMs = withinMs
    this.#mostCallers = mostCallers
    this.#onFollowed = onFollowed
    this.#onIgnored = onIgnored
  }

  /** Takes the next entry. Entries of other kinds, failed calls and searches that failed are not paired. */
  note(entry: AuditEntry): void {
    if (entry.outcome !== 'ok') return
    if (entry.kind === 'search') this.#searched(entry)
    else if (entry.kind === 'call') this.#called(entry)
  }

  /** Gives up all open searches, at the end of the entries. */
  end(): void {
    for (const searches of this.#callers.values()) this.#close(searches)
    this.#callers.clear()
  }

  #searched(search: AuditedSearch): void {
    const key = callerOf(search)
    const open = this.#openOf(key, search.at)
    open.push({ search, called: new Set() })
    this.#close(open.splice(0, open.length - MOST_SEARCHES))
    this.#callers.delete(key)
    this.#callers.set(key, open)
    for (const [oldest, searches] of this.#callers) {
      if (this.#callers.size <= this.#mostCallers) break
      this.#close(searches)
      this.#callers.delete(oldest)
    }
  }

  #called(call: AuditedCall): void {
    // Clients that call without searching are many; the key of a caller costs more than the rest.
    if (this.#callers.size === 0) return
    const found = this.#openOf(callerOf(call), call.at).findLast(
      ({ search }) => search.at <= call.at && search.resultKeys.includes(call.toolKey),
    )
    if (found === undefined) return
    const { search, called } = found
    called.add(call.toolKey)
    const rank = search.resultKeys.indexOf(call.toolKey)
    const unusedAbove = search.resultKeys.slice(0, rank).filter((key) => !called.has(key)).length
    this.#onFollowed({ search, call, rank, unusedAbove })
  }

  /** The searches of a caller that a call at this time may follow. */
  #openOf(key: string, at: number): OpenSearch[] {
    const all = this.#callers.get(key) ?? []
    const firstOpen = all.findIndex(({ search }) => at - search.at <= this.#withinMs)
    this.#close(all.splice(0, firstOpen < 0 ? all.length : firstOpen))
    return all
  }

  #close(searches: readonly OpenSearch[]): void {
    for (const { search, called } of searches) if (called.size === 0) this.#onIgnored(search)
  }
}

function callerOf({ tokenId, projectId, endpointId, clientName }: AuditEntry): string {
  return JSON.stringify([tokenId, projectId, endpointId, clientName])
}
