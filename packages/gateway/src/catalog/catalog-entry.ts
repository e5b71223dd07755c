import { isRecord } from '@tooldex/http-kit/json'
import { type LastGoodLists, LIST_NAMES, type ListName, originOf } from '../model/last-good.ts'
import type { ServerState } from '../model/server.ts'
import { atOnce, inSlices, type Steps } from '../in-slices.ts'
import type { Server } from '../servers/server.ts'
import type { CatalogChange, CatalogServer, CatalogTool } from './catalog.ts'
import type { CollectedList, RawList } from './collect-lists.ts'
import { isSame, readSteps, type ReadTools } from './read-tools.ts'
import type { Refresher } from './refresher.ts'

/** The current knowledge about one server. Provides frozen views of it. */
export class CatalogEntry {
  #server: Server
  #state: ServerState
  #raw: Record<ListName, RawList> = { tools: [], prompts: [], resources: [], resourceTemplates: [] }
  #tools: ReadonlyMap<string, CatalogTool> = new Map()
  #remarks: readonly string[] = []
  #lastList: CollectedList | undefined
  #prepared: { list: CollectedList; before: ReadonlyMap<string, CatalogTool>; read: ReadTools } | undefined
  #instructions: string | undefined
  /** Whether the current connection listed the tools. */
  #isCurrent = false
  #isKnown = false
  #problem: string | undefined
  /** When the wait for the first list began. */
  #since: number
  #view: CatalogServer | undefined

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
    this.#view ??= Object.freeze({
      id: this.#server.definition.id,
      name: this.#server.definition.name,
      state: this.#state,
      tools: this.#tools,
      prompts: this.#raw.prompts,
      resources: this.#raw.resources,
      resourceTemplates: this.#raw.resourceTemplates,
      isLastGood: !this.#isCurrent,
      ...(this.#instructions === undefined ? {} : { instructions: this.#instructions }),
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
    this.#since = now
    this.#server = server
    this.#view = undefined
    this.#state = server.status().state
    this.#isCurrent = false
    this.#problem = undefined
    this.#takeTools({ items: this.#raw.tools, remarks: [] })
  }

  setState(state: ServerState): void {
    if (state === this.#state) return
    this.#state = state
    if (state !== 'running') this.#isCurrent = false
    if (state === 'starting') this.#problem = undefined
    this.#view = undefined
  }

  /** Takes over stored lists of a previous run, unless newer ones are known. */
  takeLastGood(kept: LastGoodLists): void {
    if (kept.origin !== originOf(this.#server.definition)) return
    if (kept.asksClients === true) this.#server.rememberAsking()
    if (this.#isKnown) return
    this.#instructions = kept.instructions
    this.#take(new Map(LIST_NAMES.map((name) => [name, { items: kept.lists[name], remarks: [] }])))
  }

  /** Reads a list of tools in slices, so that taking it over is quick. Until then the entry stays as it is. */
  async prepare(list: CollectedList): Promise<void> {
    const before = this.#tools
    this.#prepared = { list, before, read: await inSlices(this.#readingOf(list)) }
  }

  /** Takes over lists that the server just sent; once all have answered, also the problem with the others. */
  takeCurrent(lists: ReadonlyMap<ListName, CollectedList>, problem?: { readonly text: string | undefined }): void {
    if (problem !== undefined) this.#problem = problem.text
    this.#instructions = this.#server.instructions() ?? this.#instructions
    if (lists.has('tools') && this.#state === 'running') this.#isCurrent = true
    this.#take(lists)
  }

  /** The lists to store for the next run. */
  lastGood(): LastGoodLists {
    const instructions = this.#instructions
    const origin = originOf(this.#server.definition)
    return {
      origin,
      lists: { ...this.#raw },
      ...(instructions !== undefined && { instructions }),
      ...(this.#server.asksClients() && { asksClients: true as const }),
    }
  }

  #take(lists: ReadonlyMap<ListName, CollectedList>): void {
    this.#view = undefined
    for (const [name, list] of lists) {
      if (name === 'tools') this.#takeTools(list)
      else if (!isSame(this.#raw[name], list.items)) this.#raw[name] = Object.freeze(list.items)
    }
    this.#isKnown ||= lists.has('tools')
  }

  #takeTools(list: CollectedList): void {
    // Tools are taken over as they arrive, and again with the other lists.
    if (list === this.#lastList) return
    this.#lastList = list
    const prepared = this.#prepared
    this.#prepared = undefined
    const isFitting = prepared?.list === list && prepared.before === this.#tools
    const { tools, remarks } = isFitting ? prepared.read : atOnce(this.#readingOf(list))
    if (!isSame(remarks, this.#remarks)) this.#remarks = Object.freeze(remarks)
    if (tools === this.#tools) return
    this.#tools = tools
    this.#raw.tools = Object.freeze(list.items)
  }

  #readingOf(list: CollectedList): Steps<ReadTools> {
    return readSteps(list, this.#server.definition, this.#tools)
  }
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
  const isSame =
    lists.length === 0 &&
    !state &&
    !searched &&
    before.name === after.name &&
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
  /** Whether the server is being listed now. */
  isListing: boolean
  /** Whether the server is being started only to list it. */
  isMeeting: boolean
  couldNotMeet: boolean
}

/** States in which no answer of a server is expected. */
const AT_REST: ReadonlySet<string> = new Set<CatalogServer['state']>([
  'stopped',
  'failed',
  'needs-login',
  'quarantined',
])

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
