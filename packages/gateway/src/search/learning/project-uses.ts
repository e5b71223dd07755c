import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import {
  keptQuery,
  type LearnedUse,
  LearnedUses,
  type LearningOptions,
  parseQuery,
  type UseSelector,
  useWeight,
} from '@tooldex/search'
import type { FollowUp } from '../../audit/search-follow-ups.ts'
import { GatewayError } from '../../errors.ts'
import type { StoredUse, UseCondition, UseRepository } from '../../model/learned-use.ts'

/** The dependencies and limits of {@link ProjectUses}. */
export interface ProjectUsesOptions {
  /** Without one, uses live as long as the process. */
  readonly repository?: UseRepository
  /** Compares queries by meaning; undefined if only by words. */
  readonly embedNow: () => Promise<LearningOptions['embedNow']>
  readonly now: () => number
  /** The interval between exchanges with the repository, in milliseconds. */
  readonly exchangeMs?: number
  /** How long a search waits for the repository. Default 2,000 ms. */
  readonly waitMs?: number
  /** Uses of all projects in memory, at some kilobyte each; beyond it the project searched longest ago is unloaded. */
  readonly mostLoaded?: number
  /** Called when the repository begins to fail, not for every failure. */
  readonly onProblem?: (error: unknown) => void
}

interface Batch {
  readonly id: string
  readonly uses: readonly StoredUse[]
}

const DAY_MS = 24 * 60 * 60 * 1_000
/** Uses that were not repeated for so long are removed; an eighth of their weight is left by then. */
export const KEPT_MS = 90 * DAY_MS
/** Uses that wait for the repository; beyond it the oldest are dropped. */
const MOST_WAITING = 2_000
/** Uses that are loaded at a time, in some 5 milliseconds. */
const PORTION = 250
/** Searches whose order is known; calls follow within minutes. */
const MOST_ORDERS = 1_000
/** Strategies whose answers say nothing about the words of a query. */
const NOT_BY_WORDS: ReadonlySet<string> = new Set(['regex', 'list-order', 'none'])

/**
 * What the searches of each project learnt: loaded when the project is first searched, written in the background, and
 * exchanged with other gateways through the repository. If that fails, searches continue with what is known.
 */
export class ProjectUses {
  readonly #options: Required<Omit<ProjectUsesOptions, 'repository'>> & Pick<ProjectUsesOptions, 'repository'>
  readonly #timer: NodeJS.Timeout
  /** The project that was searched last comes last. */
  readonly #loaded = new Map<string, LearnedUses>()
  /** What searches wait for, until the loading itself has ended. */
  readonly #loading = new Map<string, Promise<LearnedUses | undefined>>()
  /** By request, the oldest first. */
  readonly #orders = new Map<string, readonly string[]>()
  #waiting: StoredUse[] = []
  #batch: Batch | undefined
  /** The last change of the repository that is known here; undefined before the first project was loaded. */
  #seen: number | undefined
  /** Counts removals, so that uses which were read before one are not taken over after it. */
  #removals = 0
  #prunedOn: number | undefined
  #isFailing = false
  /** Serialises the exchanges. */
  #lastTask: Promise<unknown> = Promise.resolve()

  constructor(options: ProjectUsesOptions) {
    this.#options = { exchangeMs: 2_000, waitMs: 2_000, mostLoaded: 20_000, onProblem: () => {}, ...options }
    this.#timer = setInterval(() => void this.exchange(), this.#options.exchangeMs).unref()
  }

  /** What a project learnt; a promise while it is loaded, undefined if it cannot be read, or not soon. */
  of(projectId: string): LearnedUses | undefined | Promise<LearnedUses | undefined> {
    const loaded = this.#loaded.get(projectId)
    if (loaded === undefined) {
      const loading = this.#load(projectId)
      return this.#isFailing ? undefined : loading
    }
    this.#loaded.delete(projectId)
    this.#loaded.set(projectId, loaded)
    return loaded
  }

  /** Notes the order of the results of a search before tools were lifted: what the ranking knows by itself. */
  noteOrder(requestId: string, order: readonly string[]): void {
    this.#orders.set(requestId, order)
    const [oldest] = this.#orders.keys()
    if (this.#orders.size > MOST_ORDERS && oldest !== undefined) this.#orders.delete(oldest)
  }

  /** Learns from a call that followed a search. Searches without kept texts teach nothing. */
  learn({ search, call, ...followUp }: FollowUp): void {
    const { queries = [], answeredBy } = search
    if (NOT_BY_WORDS.has(answeredBy)) return
    const texts = new Set(queries.filter((query) => !parseQuery(query).structured).map(keptQuery))
    texts.delete('')
    const order = this.#orders.get(search.requestId)
    // The place without learning: a tool that is first because it was learnt is still worth learning.
    const unusedAbove = order === undefined ? followUp.unusedAbove : placeIn(order, call.toolKey)
    // Which of several queries the call answers is not known.
    const weight = useWeight(unusedAbove) / texts.size
    const { projectId, toolKey, tokenId } = call
    const at = Math.min(call.at, this.#options.now())
    for (const query of texts) this.#note({ projectId, query, toolKey, tokenId, weight, at })
  }

  /** Writes what was learnt and reads what others learnt. Never throws. */
  exchange(): Promise<void> {
    return this.#serialise(async () => {
      try {
        await this.#write()
        await this.#read()
        await this.#prune()
        this.#isFailing = false
      } catch (error) {
        this.#report(error)
      }
    })
  }

  /**
   * Forgets uses of a project, those that wait included.
   * @throws GatewayError STORE_UNAVAILABLE
   */
  async forget(projectId: string, condition: UseCondition = {}): Promise<number> {
    const { repository } = this.#options
    if (repository === undefined) return this.#loaded.get(projectId)?.forget(toSelector(condition)) ?? 0
    return this.#serialise(async () => {
      await this.#write()
      const forgotten = await repository.forget(projectId, condition)
      this.#unload([projectId])
      return forgotten
    })
  }

  /** Has searches use what was changed in the repository itself. */
  async reload(projectId: string): Promise<void> {
    this.#unload([projectId])
    await this.of(projectId)
  }

  /** Writes what was learnt a last time. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#serialise(() => this.#write().catch((error: unknown) => this.#report(error)))
  }

  #note(use: StoredUse): void {
    const { repository } = this.#options
    if (repository !== undefined) {
      this.#waiting.push(use)
      if (this.#waiting.length > MOST_WAITING) this.#waiting.shift()
      this.#loaded.get(use.projectId)?.learn(toLearned(use))
      return
    }
    void Promise.resolve(this.of(use.projectId)).then((uses) => {
      uses?.learn(toLearned(use))
      this.#unloadExcess()
    })
  }

  #load(projectId: string): Promise<LearnedUses | undefined> {
    const known = this.#loading.get(projectId)
    if (known !== undefined) return known
    const waiting = new AbortController()
    const loading = this.#loadNow(projectId)
      .catch((error: unknown) => {
        this.#report(error)
        return undefined
      })
      .finally(() => {
        this.#loading.delete(projectId)
        waiting.abort()
      })
    const late = delay(this.#options.waitMs, undefined, { signal: waiting.signal, ref: false }).catch(() => loading)
    const inTime = Promise.race([loading, late])
    this.#loading.set(projectId, inTime)
    return inTime
  }

  async #loadNow(projectId: string): Promise<LearnedUses> {
    const { repository, now } = this.#options
    const embedNow = await this.#options.embedNow()
    for (;;) {
      const removals = this.#removals
      const uses = new LearnedUses({ now, ...(embedNow !== undefined && { embedNow }) })
      if (repository !== undefined) {
        this.#seen ??= (await repository.revision()).latest
        await takeOver(uses, await repository.all(projectId))
      }
      if (removals !== this.#removals) continue
      // Uses that are being written may be among the loaded ones; the next exchange corrects what was counted twice.
      for (const use of this.#unwritten(projectId)) uses.learn(toLearned(use))
      this.#loaded.set(projectId, uses)
      this.#unloadExcess()
      return uses
    }
  }

  #unwritten(projectId: string): StoredUse[] {
    return [...(this.#batch?.uses ?? []), ...this.#waiting].filter((use) => use.projectId === projectId)
  }

  async #write(): Promise<void> {
    const { repository } = this.#options
    while (repository !== undefined) {
      if (this.#batch === undefined && this.#waiting.length > 0) {
        this.#batch = { id: randomUUID(), uses: this.#waiting }
        this.#waiting = []
      }
      if (this.#batch === undefined) return
      try {
        await repository.add(this.#batch.uses, this.#batch.id)
      } catch (error) {
        if (isTransient(error)) throw error
        // The database will never accept these uses; they count until the program ends.
        this.#report(error)
      }
      this.#batch = undefined
    }
  }

  async #read(): Promise<void> {
    const { repository } = this.#options
    if (repository === undefined || this.#seen === undefined) return
    const seen = this.#seen
    const { latest, forgotten } = await repository.revision()
    if (latest === seen) return
    if (forgotten > seen) this.#unload([...this.#loaded.keys()])
    for (const use of await repository.changedAfter(seen, [...this.#loaded.keys()])) {
      const uses = this.#loaded.get(use.projectId)
      uses?.put(toLearned(use))
      for (const other of this.#waiting) if (isSameUse(use, other)) uses?.learn(toLearned(other))
    }
    this.#seen = latest
    this.#unloadExcess()
  }

  /** Prunes once a day. */
  async #prune(): Promise<void> {
    const now = this.#options.now()
    const day = Math.floor(now / DAY_MS)
    if (this.#prunedOn === day) return
    await this.#options.repository?.prune(now - KEPT_MS)
    this.#prunedOn = day
  }

  #unload(projectIds: readonly string[]): void {
    this.#removals++
    for (const id of projectIds) this.#loaded.delete(id)
  }

  #unloadExcess(): void {
    let size = 0
    for (const uses of this.#loaded.values()) size += uses.size
    for (const [id, uses] of this.#loaded) {
      if (size <= this.#options.mostLoaded || this.#loaded.size === 1) return
      this.#loaded.delete(id)
      size -= uses.size
    }
  }

  #serialise<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#lastTask.then(work)
    this.#lastTask = done.catch(() => {})
    return done
  }

  #report(error: unknown): void {
    if (!this.#isFailing) this.#options.onProblem(error)
    this.#isFailing = true
  }
}

function placeIn(order: readonly string[], toolKey: string): number {
  const place = order.indexOf(toolKey)
  return place < 0 ? Number.POSITIVE_INFINITY : place
}

/** In portions, so that thousands of uses do not block calls. */
async function takeOver(uses: LearnedUses, stored: readonly StoredUse[]): Promise<void> {
  for (let from = 0; from < stored.length; from += PORTION) {
    for (const use of stored.slice(from, from + PORTION)) uses.put(toLearned(use))
    await nextTurn()
  }
}

function toLearned({ query, toolKey, tokenId, weight, at }: StoredUse): LearnedUse {
  return { query, toolId: toolKey, by: tokenId, weight, at }
}

function toSelector({ query, toolKey, tokenId }: UseCondition): UseSelector {
  return {
    ...(query !== undefined && { query }),
    ...(toolKey !== undefined && { toolId: toolKey }),
    ...(tokenId !== undefined && { by: tokenId }),
  }
}

function isSameUse(one: StoredUse, other: StoredUse): boolean {
  const isSame = (key: 'projectId' | 'query' | 'toolKey' | 'tokenId'): boolean => one[key] === other[key]
  return isSame('query') && isSame('toolKey') && isSame('tokenId') && isSame('projectId')
}

/** Whether the database failed and may accept the uses later. */
function isTransient(error: unknown): boolean {
  return error instanceof GatewayError && (error.code === 'STORE_UNAVAILABLE' || error.code === 'STORE_CORRUPT')
}
