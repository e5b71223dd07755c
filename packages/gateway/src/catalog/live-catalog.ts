import type { SearchProvider } from '@tooldex/search'
import { type LastGoodStore, LIST_NAMES, type ListName } from '../model/last-good.ts'
import type { ToolKey } from '../model/tool-key.ts'
import type { Server, ServerEvent, ServerPool } from '../servers/server.ts'
import { type Activities, UNWATCHED } from '../telemetry/activities.ts'
import {
  CatalogEntry,
  differenceOf,
  filledLists,
  isSettled,
  type Member,
  type ReviewedLists,
  type ServerDifference,
  reportsChanges,
} from './catalog-entry.ts'
import { CatalogIndex } from './search-index/catalog-index.ts'
import type { Catalog, CatalogChange, CatalogSnapshot, CatalogTool, MeetOptions } from './catalog.ts'
import { type Collected, type CollectedList, collectLists } from './collect-lists.ts'
import { Refresher } from './refresher.ts'
import type { ReviewDefinitions } from './reviewed-lists.ts'

/** The collaborators and settings of the catalog. */
export interface LiveCatalogParts {
  readonly pool: Pick<ServerPool, 'get' | 'all' | 'onEvent'>
  readonly lastGood: LastGoodStore
  /** Decides which definitions may be served; by default all. */
  readonly review?: ReviewDefinitions
  readonly now: () => number
  /** When the wait for the first servers began: the start of the program, which clients wait for as well. Default now. */
  readonly startedAt?: number | undefined
  readonly index?: CatalogIndex
  readonly activities?: Activities
  /** Receives problems; the catalog continues with the lists it has. */
  readonly onProblem?: (problem: CatalogProblem) => void
  /** Minimum time between two listings of one server. Default 1,000. */
  readonly minListIntervalMs?: number
  /** Age at which the tools of a server without change notifications are listed again. Default 300,000. */
  readonly staleAfterMs?: number
}

/** A problem with one server: listing it, storing or reviewing its lists, or notifying a listener. */
export interface CatalogProblem {
  readonly serverId: string
  readonly doing: 'list' | 'keep' | 'tell' | 'review'
  readonly list?: ListName
  readonly error: unknown
}

const NONE: ReadonlySet<ListName> = new Set()
const SERVE_ALL: ReviewDefinitions = (_serverId, _kind, served) =>
  Promise.resolve({ served, withheld: new Map(), isUnstored: false })
const STALE_CHECK_MS = 10_000
/** The catalog of the servers of a pool, kept up to date by their events. */
export class LiveCatalog implements Catalog {
  readonly #parts: LiveCatalogParts
  readonly #index: CatalogIndex
  readonly #review: ReviewDefinitions
  /** By server id, in configured order. */
  #members: ReadonlyMap<string, Member> = new Map()
  readonly #listeners = new Set<(change: CatalogChange) => void>()
  readonly #waiting = new Set<() => void>()
  #version = 1
  #snapshot: CatalogSnapshot | undefined
  #nextStaleCheck = 0
  #unsubscribe: (() => void) | undefined

  constructor(parts: LiveCatalogParts) {
    this.#parts = parts
    this.#index = parts.index ?? new CatalogIndex()
    this.#review = parts.review ?? SERVE_ALL
  }

  /** Starts to listen and to collect. Resolves when the stored lists are loaded, without waiting for servers. */
  async start(): Promise<void> {
    this.#unsubscribe ??= this.#parts.pool.onEvent((event) => this.#onEvent(event))
    await this.#takeServers(this.#parts.startedAt)
  }

  /** Stops listening and keeps the current lists. Resolves when they are stored. */
  async stop(): Promise<void> {
    this.#unsubscribe?.()
    this.#unsubscribe = undefined
    for (const { refresher } of this.#members.values()) refresher.stop()
    await Promise.all(
      Array.from(this.#members.values(), ({ saved, reviewed }) => Promise.allSettled([saved, reviewed])),
    )
    await Promise.all(Array.from(this.#members.values(), ({ saved }) => saved))
  }

  /** To be called after a change of the pool's servers. Resolves when their stored lists are loaded. */
  serversChanged(): Promise<void> {
    return this.#takeServers()
  }

  /** @param awaitedSince when the wait for new servers began; by default now */
  async #takeServers(awaitedSince = this.#parts.now()): Promise<void> {
    const before = this.#members
    const servers = this.#parts.pool.all()
    const members = servers.map((server) => before.get(server.definition.id) ?? this.#newMember(server, awaitedSince))
    this.#members = new Map(members.map((member) => [member.entry.server.definition.id, member]))
    if ([...before.keys()].join(':') !== [...this.#members.keys()].join(':')) this.#touch()
    for (const [id, member] of before) if (!this.#members.has(id)) this.#forget(id, member)
    for (const server of servers) this.#replaceServer(server)
    const added = members.filter(({ entry }) => !before.has(entry.server.definition.id))
    await Promise.all(added.map((member) => this.#loadStored(member)))
  }

  /** Reviews the known lists of servers again, after a decision. Resolves when the outcome is served. */
  async reviewAgain(serverIds: readonly string[]): Promise<void> {
    const members = serverIds.flatMap((id) => this.#members.get(id) ?? [])
    await Promise.all(
      members.map((member) =>
        inTurn(member, async () => {
          if (!member.entry.isKnown) return
          const reviewed = await member.entry.reviewAgain(this.#review)
          this.#change(member, (entry) => entry.takeReviewed(reviewed))
          if (reviewed.isUnstored) member.refresher.want(LIST_NAMES)
        }).catch((error: unknown) =>
          this.#parts.onProblem?.({ serverId: member.entry.server.definition.id, doing: 'review', error }),
        ),
      ),
    )
  }

  snapshot(): CatalogSnapshot {
    this.#refreshStale()
    this.#snapshot ??= takeSnapshot(this.#version, this.#members.values())
    return this.#snapshot
  }

  provider(strategy: string): SearchProvider {
    return this.#index.provider(strategy)
  }

  onChange(listener: (change: CatalogChange) => void): () => void {
    const own = (change: CatalogChange): void => listener(change)
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  ready(timeoutMs: number): Promise<void> {
    return this.#until(isSettled, timeoutMs)
  }

  met(timeoutMs: number, { serverIds, signal }: MeetOptions = {}): Promise<void> {
    const isOther = ({ server }: CatalogEntry): boolean => serverIds?.has(server.definition.id) === false
    return this.#until(({ entry }) => isOther(entry) || !entry.isAwaited, timeoutMs, signal)
  }

  #until(isDone: (member: Member) => boolean, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    const isReady = (): boolean => [...this.#members.values()].every(isDone)
    if (timeoutMs <= 0 || signal?.aborted === true || isReady()) return Promise.resolve()
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', end)
        this.#waiting.delete(check)
        resolve()
      }
      const check = (): void => {
        if (isReady()) end()
      }
      const timer = setTimeout(end, timeoutMs)
      signal?.addEventListener('abort', end)
      this.#waiting.add(check)
    })
  }

  #newMember(server: Server, awaitedSince: number): Member {
    const member: Member = {
      entry: new CatalogEntry(server, awaitedSince),
      refresher: new Refresher({
        refresh: (lists) => this.#refresh(member, lists),
        now: this.#parts.now,
        minIntervalMs: this.#parts.minListIntervalMs ?? 1_000,
      }),
      listedAt: 0,
      isKept: false,
      saved: Promise.resolve(),
      reviewed: Promise.resolve(),
      isListing: false,
      isMeeting: false,
      couldNotMeet: false,
    }
    return member
  }

  #forget(serverId: string, { entry, refresher }: Member): void {
    refresher.stop()
    this.#index.remove(serverId)
    this.#notify({ serverId, lists: filledLists(entry.view()), state: true })
  }

  #replaceServer(server: Server): void {
    const member = this.#members.get(server.definition.id)
    if (member === undefined || member.entry.server === server) return
    member.isKept = false
    member.couldNotMeet = false
    this.#change(member, (entry) => entry.replaceServer(server, this.#parts.now()))
    this.#follow(member)
  }

  /** Loads the stored lists of a server. */
  async #loadStored(member: Member): Promise<void> {
    const { id } = member.entry.server.definition
    try {
      const kept = await this.#parts.lastGood.load(id)
      if (kept !== undefined) {
        await inTurn(member, async () => {
          const reviewed = await member.entry.reviewLastGood(kept, this.#review)
          if (reviewed !== undefined) this.#change(member, (entry) => entry.takeReviewed(reviewed))
        })
      }
      member.isKept = member.entry.isKnown
    } catch (error) {
      this.#parts.onProblem?.({ serverId: id, doing: 'keep', error })
    }
    this.#follow(member)
  }

  #onEvent(event: ServerEvent): void {
    if (event.kind === 'asks-clients') return this.#keepAsking(event.serverId)
    if (event.kind !== 'state' && event.kind !== 'list-changed') return
    const server = this.#parts.pool.get(event.serverId)
    if (this.#members.get(event.serverId)?.entry.server !== server) void this.serversChanged()
    const member = this.#members.get(event.serverId)
    if (member === undefined) return
    if (event.kind === 'list-changed') return member.refresher.want(listsOf(event.list))
    const before = member.entry.state
    this.#change(member, (entry) => entry.setState(event.status.state))
    if (before !== event.status.state && !member.isMeeting) this.#follow(member)
  }

  /** Stores that a server asks its clients back, for the next start. */
  #keepAsking(serverId: string): void {
    const member = this.#members.get(serverId)
    // Without lists there is nothing to store yet; it is stored with them.
    if (member?.entry.isKnown === true) this.#save(member)
  }

  /** Requests lists if the server can provide newer ones. */
  #follow({ entry, refresher, couldNotMeet }: Member): void {
    if (entry.state === 'running') refresher.wantNow(LIST_NAMES)
    const isStartedByUs = entry.server.definition.start === 'on-demand' && !couldNotMeet
    if (entry.state === 'idle' && !entry.isKnown && isStartedByUs) refresher.want(LIST_NAMES)
  }

  /** Returns the lists to request again. */
  async #refresh(member: Member, lists: ReadonlySet<ListName>): Promise<ReadonlySet<ListName>> {
    const { server, state, isKnown } = member.entry
    const isMeeting = state === 'idle' && !isKnown && !member.couldNotMeet
    // A stopped server is not started for a known list; it will be listed when it runs again.
    if (state !== 'running' && !isMeeting) return NONE
    member.isMeeting = isMeeting
    member.isListing = true
    const { id } = server.definition
    const isReplaced = (): boolean => this.#members.get(id) !== member || member.entry.server !== server
    // Meeting a server starts it. Any other start means that its lists are requested again, and are still awaited.
    const starts = member.entry.starts + (isMeeting ? 1 : 0)
    const isRestarted = (): boolean => member.entry.starts > starts
    const accept = (sent: Collected['lists'], problems?: Collected['problems']): Promise<boolean> =>
      inTurn(member, async () => {
        const reviewed = await member.entry.review(sent, this.#review)
        if (!isReplaced()) this.#take(member, reviewed, isRestarted() ? undefined : problems)
        return reviewed.isUnstored
      })
    let hasUnstored = false
    const collected = await collectLists(server, lists, async (tools) => {
      hasUnstored = await accept(new Map<ListName, CollectedList>([['tools', tools]]))
    })
    member.isMeeting = false
    if (!isReplaced()) {
      for (const [list, error] of collected.problems)
        this.#parts.onProblem?.({ serverId: id, doing: 'list', list, error })
      member.couldNotMeet = collected.problems.size > 0 && (isMeeting || member.couldNotMeet)
      try {
        hasUnstored = (await accept(collected.lists, collected.problems)) || hasUnstored
      } catch (error) {
        // Nothing is served without knowing what was approved; the lists are requested again.
        this.#parts.onProblem?.({ serverId: id, doing: 'review', error })
        hasUnstored = true
      }
    }
    member.isListing = false
    if (isReplaced()) return NONE
    for (const check of this.#waiting) check()
    const again = hasUnstored ? lists : new Set(collected.problems.keys())
    return member.entry.state === 'running' ? again : NONE
  }

  /** @param problems absent while other lists are still expected */
  #take(member: Member, reviewed: ReviewedLists, problems?: Collected['problems']): void {
    const { lists } = reviewed
    const sent = member.entry.sentVersion
    const problem = problems && { text: problemText(problems.values().next().value) }
    const { activities = UNWATCHED } = this.#parts
    const changes = activities.during(`taking over the lists of ${member.entry.server.definition.id}`, () =>
      this.#change(member, (entry) => entry.takeCurrent(reviewed, problem)),
    )
    if (lists.has('tools')) member.listedAt = this.#parts.now()
    if (lists.size === 0 || !member.entry.isKnown) return
    const isSame = changes?.searched !== true && (changes?.lists.length ?? 0) === 0
    if (member.isKept && isSame && sent === member.entry.sentVersion) return
    member.isKept = true
    this.#save(member)
  }

  #save(member: Member): void {
    const { id } = member.entry.server.definition
    const failed = (error: unknown): void => {
      member.isKept = false
      this.#parts.onProblem?.({ serverId: id, doing: 'keep', error })
    }
    // One after the other, so that an older list never replaces a newer one.
    member.saved = member.saved.then(() => this.#parts.lastGood.save(id, member.entry.lastGood())).catch(failed)
  }

  /** Changes an entry, updates the index and notifies listeners. */
  #change({ entry }: Member, change: (entry: CatalogEntry) => void): ServerDifference | undefined {
    const before = entry.view()
    change(entry)
    const after = entry.view()
    const difference = differenceOf(before, after)
    if (difference === undefined) return undefined
    if (difference.searched) this.#index.put(after)
    this.#touch()
    const { lists, state } = difference
    if (lists.length > 0 || state) this.#notify({ serverId: after.id, lists, state })
    return difference
  }

  #touch(): void {
    this.#version++
    this.#snapshot = undefined
    for (const check of this.#waiting) check()
  }

  #notify(change: CatalogChange): void {
    for (const listener of this.#listeners) {
      try {
        listener(change)
      } catch (error) {
        this.#parts.onProblem?.({ serverId: change.serverId, doing: 'tell', error })
      }
    }
  }

  /** Refreshes outdated lists of servers without change notifications, in the background, while there are readers. */
  #refreshStale(): void {
    const now = this.#parts.now()
    if (now < this.#nextStaleCheck) return
    this.#nextStaleCheck = now + STALE_CHECK_MS
    const limit = now - (this.#parts.staleAfterMs ?? 300_000)
    for (const { entry, refresher, listedAt } of this.#members.values()) {
      if (entry.state === 'running' && listedAt < limit && !reportsChanges(entry.server)) refresher.want(['tools'])
    }
  }
}

/** Runs reviews of one server one after the other, so that an older list never replaces a newer one. */
function inTurn<Result>(member: Member, work: () => Promise<Result>): Promise<Result> {
  const result = member.reviewed.then(work)
  member.reviewed = result.catch(() => {})
  return result
}

function takeSnapshot(version: number, members: Iterable<Member>): CatalogSnapshot {
  const servers = Object.freeze(Array.from(members, ({ entry }) => entry.view()))
  let tools: ReadonlyMap<ToolKey, CatalogTool> | undefined
  return Object.freeze({
    version,
    servers,
    // Made when it is first read: while many servers start, most snapshots are only compared.
    get tools() {
      tools ??= new Map(
        servers.flatMap((server) => Array.from(server.tools.values(), (tool) => [tool.key, tool] as const)),
      )
      return tools
    },
  })
}

function listsOf(changed: 'tools' | 'prompts' | 'resources'): readonly ListName[] {
  return changed === 'resources' ? ['resources', 'resourceTemplates'] : [changed]
}

function problemText(problem: unknown): string | undefined {
  if (problem === undefined) return undefined
  return problem instanceof Error ? problem.message : 'Its lists could not be requested'
}
