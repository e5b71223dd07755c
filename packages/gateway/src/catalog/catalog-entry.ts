import { isRecord } from '@tooldex/http-kit/json'
import { type LastGoodLists, LIST_NAMES, type ListName, originOf } from '../model/last-good.ts'
import type { ServerState } from '../model/server.ts'
import { inSlices } from '../in-slices.ts'
import type { Server } from '../servers/server.ts'
import type { CatalogChange, CatalogServer, CatalogTool } from './catalog.ts'
import type { CollectedList, RawList } from './collect-lists.ts'
import { isSame, readSteps, type ReadTools } from './read-tools.ts'
import type { Refresher } from './refresher.ts'
import {
  type ReviewDefinitions,
  type ReviewedTools,
  reviewInstructions,
  reviewList,
  reviewTools,
} from './reviewed-lists.ts'

/** Lists of a server after the review: what was sent, and what may be served of it. */
export interface ReviewedLists {
  readonly lists: ReadonlyMap<ListName, CollectedList>
  readonly tools?: { readonly read: ReadTools } & ReviewedTools
  readonly prompts?: RawList
  readonly resourceTemplates?: RawList
  readonly instructions: { readonly sent: string | undefined; readonly served: string | undefined }
  /** Whether something is held only because the store could not be written. */
  readonly isUnstored: boolean
}

/** The current knowledge about one server. Provides frozen views of it. */
export class CatalogEntry {
  #server: Server
  #state: ServerState
  #raw: Record<ListName, RawList> = { tools: [], prompts: [], resources: [], resourceTemplates: [] }
  /** The tools as the server sent them. */
  #live: ReadonlyMap<string, CatalogTool> = new Map()
  #tools: Pick<ReviewedTools, 'served' | 'held'> = { served: new Map(), held: new Map() }
  #served: Record<'prompts' | 'resourceTemplates', RawList> = { prompts: [], resourceTemplates: [] }
  #remarks: readonly string[] = []
  #lastList: CollectedList | undefined
  #instructions: ReviewedLists['instructions'] = { sent: undefined, served: undefined }
  /** Whether the current connection listed the tools. */
  #isCurrent = false
  #isKnown = false
  #problem: string | undefined
  #starts = 0
  /** When the wait for the first list began. */
  #since: number
  #view: CatalogServer | undefined
  #sentVersion = 0

  constructor(server: Server, now: number) {
    this.#server = server
    this.#since = now
    this.#view = undefined
    this.#state = server.status().state
  }

  get server(): Server {
    return this.#server
  }

  get state(): ServerState {
    return this.#state
  }

  /** Changes with everything that the server sends, served or not. */
  get sentVersion(): number {
    return this.#sentVersion
  }

  /** How often the server was seen to start: what began before the last start says nothing about the server now. */
  get starts(): number {
    return this.#starts
  }

  /** Whether the server ever listed its tools, in this or a previous run. */
  get isKnown(): boolean {
    return this.#isKnown
  }

  /** Whether the first list of its tools is expected. This is the only place that decides which servers are waited for. */
  get isAwaited(): boolean {
    const isComing = this.#server.definition.enabled && !AT_REST.has(this.#state)
    return isComing && !this.#isKnown && this.#problem === undefined
  }

  /** Whether the current connection listed the tools, or failed to. */
  get hasAnswered(): boolean {
    return this.#isCurrent || this.#problem !== undefined
  }

  /** A frozen view of the server. The same object until something changes. */
  view(): CatalogServer {
    const { served, held } = this.#tools
    this.#view ??= Object.freeze({
      id: this.#server.definition.id,
      name: this.#server.definition.name,
      state: this.#state,
      tools: served,
      ...(held.size > 0 && { heldTools: held }),
      prompts: this.#served.prompts,
      resources: this.#raw.resources,
      resourceTemplates: this.#served.resourceTemplates,
      isLastGood: !this.#isCurrent,
      ...(this.#server.definition.description !== undefined && { description: this.#server.definition.description }),
      ...(this.#instructions.served === undefined ? {} : { instructions: this.#instructions.served }),
      ...(this.#remarks.length === 0 ? {} : { remarks: this.#remarks }),
      ...(this.#problem === undefined ? {} : { problem: this.#problem }),
      ...(this.isAwaited && { awaitedSince: this.#since }),
      ...(this.#state === 'running' &&
        !this.#isKnown &&
        this.#problem !== undefined && { toolsUnknown: this.#problem }),
    })
    return this.#view
  }

  /** Replaces the object of the same server, whose definition may have changed. */
  replaceServer(server: Server, now: number): void {
    if (originOf(server.definition) !== originOf(this.#server.definition)) this.#isKnown = false
    else if (this.#server.asksClients()) server.rememberAsking()
    const isRenamed = server.definition.name !== this.#server.definition.name
    this.#since = now
    this.#server = server
    this.#view = undefined
    this.#state = server.status().state
    this.#isCurrent = false
    this.#problem = undefined
    if (!isRenamed) return
    const { served, held } = this.#tools
    this.#tools = { served: renamed(served, server.definition.name), held: renamed(held, server.definition.name) }
    this.#live = renamed(this.#live, server.definition.name)
    this.#lastList = undefined
  }

  setState(state: ServerState): void {
    if (state === this.#state) return
    this.#state = state
    if (state !== 'running') this.#isCurrent = false
    if (state === 'starting') {
      this.#problem = undefined
      this.#starts++
    }
    this.#view = undefined
  }

  /**
   * Reads lists that the server sent, in slices, and reviews them. Until they are taken over, the entry stays as it is.
   * @throws GatewayError STORE_UNAVAILABLE if it is not known what was approved
   */
  async review(lists: ReviewedLists['lists'], review: ReviewDefinitions): Promise<ReviewedLists> {
    const list = lists.get('tools')
    // Tools are reviewed as they arrive, and come again with the other lists.
    const isNew = list !== undefined && list !== this.#lastList
    const read = isNew ? await inSlices(readSteps(list, this.#server.definition, this.#live)) : undefined
    return this.#reviewed(lists, read, this.#server.instructions() ?? this.#instructions.sent, review)
  }

  /** Reviews the known lists again, after a decision. */
  async reviewAgain(review: ReviewDefinitions): Promise<ReviewedLists> {
    const lists = new Map(LIST_NAMES.map((name) => [name, { items: this.#raw[name], remarks: this.#remarks }]))
    return this.#reviewed(lists, { tools: this.#live, remarks: this.#remarks }, this.#instructions.sent, review)
  }

  /** Takes over stored lists of a previous run, unless newer ones are known. */
  async reviewLastGood(kept: LastGoodLists, review: ReviewDefinitions): Promise<ReviewedLists | undefined> {
    if (kept.origin !== originOf(this.#server.definition)) return undefined
    if (kept.asksClients === true) this.#server.rememberAsking()
    if (this.#isKnown) return undefined
    const lists = new Map(LIST_NAMES.map((name) => [name, { items: kept.lists[name], remarks: [] }]))
    const read = await inSlices(
      readSteps({ items: kept.lists.tools, remarks: [] }, this.#server.definition, this.#live),
    )
    return this.#reviewed(lists, read, kept.instructions, review)
  }

  /** Takes over lists of a previous run or of a decision. */
  takeReviewed(reviewed: ReviewedLists): void {
    this.#view = undefined
    this.#take(reviewed)
  }

  /** Takes over lists that the server just sent; once all have answered, also the problem with the others. */
  takeCurrent(reviewed: ReviewedLists, problem?: { readonly text: string | undefined }): void {
    if (problem !== undefined) this.#problem = problem.text
    if (reviewed.lists.has('tools') && this.#state === 'running') this.#isCurrent = true
    this.takeReviewed(reviewed)
  }

  /** The lists to store for the next run, as the server sent them. */
  lastGood(): LastGoodLists {
    const { sent } = this.#instructions
    const origin = originOf(this.#server.definition)
    return {
      origin,
      lists: { ...this.#raw },
      ...(sent !== undefined && { instructions: sent }),
      ...(this.#server.asksClients() && { asksClients: true as const }),
    }
  }

  async #reviewed(
    lists: ReviewedLists['lists'],
    read: ReadTools | undefined,
    sent: string | undefined,
    review: ReviewDefinitions,
  ): Promise<ReviewedLists> {
    const { definition } = this.#server
    const [prompts, templates] = [lists.get('prompts'), lists.get('resourceTemplates')]
    const tools = read && (await reviewTools(definition, read.tools, this.#tools, review))
    const instructions = await reviewInstructions(definition.id, sent, review)
    const ofPrompts = prompts && (await reviewList(definition.id, 'prompts', prompts.items, review))
    const ofTemplates = templates && (await reviewList(definition.id, 'resourceTemplates', templates.items, review))
    return {
      lists,
      ...(tools !== undefined && read !== undefined && { tools: { read, ...tools } }),
      ...(ofPrompts !== undefined && { prompts: ofPrompts.items }),
      ...(ofTemplates !== undefined && { resourceTemplates: ofTemplates.items }),
      instructions: { sent, served: instructions.instructions },
      isUnstored: [tools, instructions, ofPrompts, ofTemplates].some((each) => each?.isUnstored === true),
    }
  }

  #take({ lists, tools, instructions, ...others }: ReviewedLists): void {
    for (const [name, list] of lists) {
      if (name !== 'tools' && !isSame(this.#raw[name], list.items)) this.#setRaw(name, list.items)
    }
    for (const name of ['prompts', 'resourceTemplates'] as const) {
      const items = others[name]
      if (items !== undefined && !isSame(this.#served[name], items)) this.#served[name] = Object.freeze(items)
    }
    if (tools !== undefined) this.#takeTools(tools, lists.get('tools'))
    if (instructions.sent !== this.#instructions.sent) this.#sentVersion++
    this.#instructions = instructions
    this.#isKnown ||= lists.has('tools')
  }

  #takeTools({ read, served, held }: NonNullable<ReviewedLists['tools']>, list: CollectedList | undefined): void {
    this.#lastList = list
    if (!isSame(read.remarks, this.#remarks)) this.#remarks = Object.freeze(read.remarks)
    this.#tools = { served, held }
    if (read.tools === this.#live || list === undefined) return
    this.#live = read.tools
    this.#setRaw('tools', list.items)
  }

  #setRaw(name: ListName, items: RawList): void {
    this.#raw[name] = Object.freeze(items)
    this.#sentVersion++
  }
}

function renamed(tools: ReadonlyMap<string, CatalogTool>, serverName: string): ReadonlyMap<string, CatalogTool> {
  return new Map(Array.from(tools, ([name, tool]) => [name, Object.freeze({ ...tool, serverName })]))
}

/** The difference between two views of one server. Unchanged parts are the same objects. */
export interface ServerDifference {
  readonly lists: CatalogChange['lists']
  readonly state: boolean
  /** Whether searchable parts changed: tools or instructions. */
  readonly searched: boolean
}

/** `undefined` when nothing differs. */
export function differenceOf(before: CatalogServer, after: CatalogServer): ServerDifference | undefined {
  const lists: CatalogChange['lists'][number][] = []
  if (before.tools !== after.tools) lists.push('tools')
  if (before.prompts !== after.prompts) lists.push('prompts')
  const hasSameTemplates = before.resourceTemplates === after.resourceTemplates
  if (before.resources !== after.resources || !hasSameTemplates) lists.push('resources')
  const state = before.state !== after.state || before.toolsUnknown !== after.toolsUnknown
  const searched = before.tools !== after.tools || before.instructions !== after.instructions
  const isHeldSame = before.heldTools === after.heldTools
  const isSame =
    lists.length === 0 &&
    !state &&
    !searched &&
    isHeldSame &&
    before.name === after.name &&
    before.description === after.description &&
    before.isLastGood === after.isLastGood &&
    before.awaitedSince === after.awaitedSince &&
    before.problem === after.problem &&
    before.remarks === after.remarks
  return isSame ? undefined : { lists, state, searched }
}

/** A server in the catalog, and the progress of listing it. */
export interface Member {
  readonly entry: CatalogEntry
  readonly refresher: Refresher
  /** The time of its last list, by the catalog's clock. */
  listedAt: number
  /** Whether the known lists are stored for the next run. */
  isKept: boolean
  /** Settled when the known lists are stored. */
  saved: Promise<void>
  /** Settled when no review of its lists is under way; reviews run one after the other. */
  reviewed: Promise<unknown>
  /** Whether the server is being listed now. */
  isListing: boolean
  /** Whether the server is being started only to list it. */
  isMeeting: boolean
  couldNotMeet: boolean
}

/** States in which no answer of a server is expected. */
const AT_REST: ReadonlySet<string> = new Set<CatalogServer['state']>(['stopped', 'failed', 'needs-login', 'held'])

/** Whether an eager server has answered, or will not answer for now. Other servers always count as settled. */
export function isSettled({ entry, isListing }: Member): boolean {
  const { enabled, start } = entry.server.definition
  return !enabled || start !== 'eager' || (entry.hasAnswered && !isListing) || AT_REST.has(entry.state)
}

/** Whether the server sends notifications when its tools change. */
export function reportsChanges(server: Server): boolean {
  const tools = server.capabilities()?.['tools']
  return isRecord(tools) && tools['listChanged'] === true
}

/** The lists of a server that are not empty, and so change when it is removed. */
export function filledLists(server: CatalogServer): CatalogChange['lists'] {
  const lists: CatalogChange['lists'][number][] = []
  if (server.tools.size > 0) lists.push('tools')
  if (server.prompts.length > 0) lists.push('prompts')
  if (server.resources.length + server.resourceTemplates.length > 0) lists.push('resources')
  return lists
}
