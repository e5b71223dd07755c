import type { IndexedTool, SearchProvider, ToolDiff, ToolIndexChange } from '@tooldex/search'
import { ChangeListeners, type DraftOutcome, IndexDraft, type IndexEntry } from '@tooldex/search/store'
import type { ChangeFeed } from './change-feed.ts'
import { ChangeLog, type ChangesSince, isEmpty } from './change-log.ts'
import { ResidentProvider } from './resident-provider.ts'
import type { Session, Transactions } from './session.ts'
import type { Tables } from './tables.ts'
import type { ToolRows } from './tool-rows.ts'

/** What changes are made with. */
export interface ChangeParts {
  readonly transactions: Transactions
  readonly tables: Tables
  readonly feed: ChangeFeed
  readonly rows: ToolRows
  readonly provider: SearchProvider | undefined
}

interface Made {
  readonly diff: ToolDiff
  readonly change?: ToolIndexChange
}

/**
 * Makes changes and follows those of others: one after the other, so that version, events and a provider that was handed
 * in always agree.
 */
export class IndexChanges {
  readonly log: ChangeLog
  readonly resident: ResidentProvider | undefined
  readonly #indexId: number
  readonly #parts: ChangeParts
  readonly #listeners = new ChangeListeners<ToolIndexChange>()
  #version = 0
  #turn: Promise<unknown> = Promise.resolve()
  #isFollowing = false
  #stopListening: () => void = () => undefined

  constructor(indexId: number, parts: ChangeParts) {
    this.#indexId = indexId
    this.#parts = parts
    this.log = new ChangeLog(indexId, parts.tables)
    this.resident = parts.provider === undefined ? undefined : new ResidentProvider(parts.provider)
  }

  /** The last version that listeners were told of. */
  get version(): number {
    return this.#version
  }

  onChange(listener: (event: ToolIndexChange) => void): () => void {
    return this.#listeners.add(listener)
  }

  /** Begins with the index as it is: nobody is told of what happened before. */
  async start(): Promise<void> {
    await this.#inTurn(() =>
      this.#parts.transactions.read(async (session) => {
        this.#version = await this.log.version(session)
        await this.#reload(session)
      }),
    )
    this.#stopListening = this.#parts.feed.listen(this.#indexId, () => this.#follow())
    // What happened between reading and listening.
    await this.catchUp()
  }

  stop(): void {
    this.#stopListening()
  }

  /** Makes a change from what `load` finds: as a whole or, when something rejects, not at all. */
  async change(
    load: (session: Session) => Promise<ReadonlyMap<string, IndexEntry>>,
    edit: (draft: IndexDraft, current: ReadonlyMap<string, IndexEntry>) => void,
  ): Promise<ToolDiff> {
    return this.#inTurn(async () => {
      let undo: () => void = () => undefined
      try {
        const { diff, change } = await this.#parts.transactions.write(async (session): Promise<Made> => {
          const version = await this.log.lock(session)
          const current = await load(session)
          const draft = new IndexDraft(current)
          edit(draft, current)
          const outcome = draft.outcome()
          if (isEmpty(outcome.diff)) return { diff: outcome.diff }
          await this.#take(session, await this.log.since(session, this.#version))
          const made = Object.freeze({ version: version + 1, ...outcome.diff })
          await this.#parts.rows.write(session, draft.staged, current)
          await this.log.append(session, made)
          undo = this.#tellProvider(outcome)
          return { diff: outcome.diff, change: made }
        })
        if (change !== undefined) this.#tell(change)
        return diff
      } catch (error) {
        undo()
        throw error
      }
    })
  }

  /** Takes over what others changed, and tells it. */
  async catchUp(): Promise<void> {
    await this.#inTurn(() =>
      this.#parts.transactions.read(async (session) =>
        this.#take(session, await this.log.since(session, this.#version)),
      ),
    )
  }

  /** At most one look waits: it will see everything that is told until it begins. A failed one is made up for later. */
  #follow(): void {
    if (this.#isFollowing) return
    this.#isFollowing = true
    void this.#inTurn(async () => {
      this.#isFollowing = false
    })
      .then(() => this.catchUp())
      .catch(() => undefined)
  }

  async #take(session: Session, { version, changes, isIncomplete }: ChangesSince): Promise<void> {
    if (isIncomplete) {
      await this.#reload(session)
      const first = changes[0]?.version ?? version + 1
      this.#tell(Object.freeze({ version: first - 1, added: [], changed: [], removed: [] }))
    } else await this.#refresh(session, changes)
    for (const change of changes) this.#tell(Object.freeze(change))
  }

  async #refresh(session: Session, changes: readonly ToolIndexChange[]): Promise<void> {
    if (this.resident === undefined || changes.length === 0) return
    const ids = new Set(changes.flatMap(({ added, changed, removed }) => [...added, ...changed, ...removed]))
    const entries = await this.#parts.rows.entries(session, ids)
    this.resident.refresh(ids, new Map(Array.from(entries, ([id, { tool }]) => [id, tool])))
  }

  async #reload(session: Session): Promise<void> {
    if (this.resident === undefined) return
    const tools = new Map<string, IndexedTool>()
    for await (const tool of this.#parts.rows.all(session)) tools.set(tool.id, tool)
    this.resident.refresh([...this.resident.ids(), ...tools.keys()], tools)
  }

  #tellProvider({ change }: DraftOutcome): () => void {
    return this.resident?.apply(change) ?? (() => undefined)
  }

  #tell(change: ToolIndexChange): void {
    this.#version = change.version
    this.#listeners.tell(change)
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work, work)
    this.#turn = mine.catch(() => undefined)
    return mine
  }
}
