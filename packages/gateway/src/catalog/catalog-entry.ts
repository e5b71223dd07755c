import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '@tooldex/http-kit/json'
import { type LastGoodLists, LIST_NAMES, type ListName, originOf } from '../model/last-good.ts'
import type { ServerState } from '../model/server.ts'
import { formatToolKey } from '../model/tool-key.ts'
import { type RepairedTool, repairTools } from '../servers/protocol/repair-tools.ts'
import type { Server } from '../servers/server.ts'
import type { CatalogChange, CatalogServer, CatalogTool } from './catalog.ts'
import type { CollectedList, RawList } from './collect-lists.ts'
import type { Refresher } from './refresher.ts'

/** What is known of one server, as it becomes known. Hands out frozen pictures. */
export class CatalogEntry {
  #server: Server
  #state: ServerState
  #raw: Record<ListName, RawList> = { tools: [], prompts: [], resources: [], resourceTemplates: [] }
  #tools: ReadonlyMap<string, CatalogTool> = new Map()
  #remarks: readonly string[] = []
  #instructions: string | undefined
  /** The tools were listed by the connection that there is now. */
  #isCurrent = false
  #isKnown = false
  #problem: string | undefined
  #picture: CatalogServer | undefined

  constructor(server: Server) {
    this.#server = server
    this.#picture = undefined
    this.#state = server.status().state
  }

  get server(): Server {
    return this.#server
  }

  get state(): ServerState {
    return this.#state
  }

  /** Whether the server ever listed its tools, be it in an earlier life of the gateway. */
  get isKnown(): boolean {
    return this.#isKnown
  }

  /** Whether the connection of now has listed the tools, or could not. */
  get hasAnswered(): boolean {
    return this.#isCurrent || this.#problem !== undefined
  }

  /** The server as it is known now. The same object until something changes. */
  picture(): CatalogServer {
    this.#picture ??= Object.freeze({
      id: this.#server.definition.id,
      name: this.#server.definition.name,
      // A server that runs and cannot tell what it has is of no use to anybody.
      state: this.#state === 'running' && this.#problem !== undefined && !this.#isKnown ? 'failed' : this.#state,
      tools: this.#tools,
      prompts: this.#raw.prompts,
      resources: this.#raw.resources,
      resourceTemplates: this.#raw.resourceTemplates,
      isLastGood: !this.#isCurrent,
      ...(this.#instructions === undefined ? {} : { instructions: this.#instructions }),
      ...(this.#remarks.length === 0 ? {} : { remarks: this.#remarks }),
      ...(this.#problem === undefined ? {} : { problem: this.#problem }),
    })
    return this.#picture
  }

  /** Another object for the same server: its definition may have changed. */
  replaceServer(server: Server): void {
    if (originOf(server.definition) !== originOf(this.#server.definition)) this.#isKnown = false
    this.#server = server
    this.#picture = undefined
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
    this.#picture = undefined
  }

  /** Takes over lists from an earlier life, unless better ones are known already. */
  takeLastGood(kept: LastGoodLists): void {
    if (this.#isKnown || kept.origin !== originOf(this.#server.definition)) return
    this.#instructions = kept.instructions
    this.#take(new Map(LIST_NAMES.map((name) => [name, { items: kept.lists[name], remarks: [] }])))
  }

  /** Takes over what the server just listed, and why something is missing. */
  takeCurrent(lists: ReadonlyMap<ListName, CollectedList>, problem: string | undefined): void {
    this.#problem = problem
    this.#instructions = this.#server.instructions() ?? this.#instructions
    if (lists.has('tools') && this.#state === 'running') this.#isCurrent = true
    this.#take(lists)
  }

  /** What to keep for later lives. */
  lastGood(): LastGoodLists {
    const instructions = this.#instructions
    const origin = originOf(this.#server.definition)
    return { origin, lists: { ...this.#raw }, ...(instructions === undefined ? {} : { instructions }) }
  }

  #take(lists: ReadonlyMap<ListName, CollectedList>): void {
    this.#picture = undefined
    for (const [name, list] of lists) {
      if (name === 'tools') this.#takeTools(list)
      else if (!isSame(this.#raw[name], list.items)) this.#raw[name] = Object.freeze(list.items)
    }
    this.#isKnown ||= lists.has('tools')
  }

  /** The same tools in another order are the same tools: servers that keep them in a hash shuffle them. */
  #takeTools({ items, remarks: leftOut }: CollectedList): void {
    const { tools, problems } = repairTools(items)
    const read = this.#readTools(tools.filter(({ needsTask }) => !needsTask))
    const hidden = tools.filter(({ needsTask }) => needsTask).map(({ definition }) => taskRemark(definition.name))
    const remarks = [...leftOut, ...problems, ...hidden]
    if (!isSame(remarks, this.#remarks)) this.#remarks = Object.freeze(remarks)
    if (read.size === this.#tools.size && [...read].every(([name, tool]) => this.#tools.get(name) === tool)) return
    this.#tools = read
    this.#raw.tools = Object.freeze(items)
  }

  /** Tools that did not change stay the same objects, so that what others remember about them stays right. */
  #readTools(tools: readonly RepairedTool[]): ReadonlyMap<string, CatalogTool> {
    const { id: serverId, name: serverName } = this.#server.definition
    const read = new Map<string, CatalogTool>()
    for (const { definition, repairs } of tools) {
      const { name } = definition
      const tool = { key: formatToolKey(serverId, name), serverId, serverName, name, definition, repairs }
      const before = this.#tools.get(name)
      read.set(name, before !== undefined && isSame(before, tool) ? before : Object.freeze(tool))
    }
    return read
  }
}

function taskRemark(name: string): string {
  return `Its tool "${name.slice(0, 80)}" runs only as a task, which clients cannot start through here; it is left out.`
}

function isSame(a: unknown, b: unknown): boolean {
  try {
    return isDeepStrictEqual(a, b)
  } catch {
    // Nested deeper than can be compared.
    return false
  }
}

/** In what two pictures of one server differ. Parts that did not change are the same objects. */
export interface ServerDifference {
  readonly lists: CatalogChange['lists']
  readonly state: boolean
  /** What searches read: tools, and what the server says of itself. */
  readonly searched: boolean
}

/** `undefined` when nothing differs. */
export function differenceOf(before: CatalogServer, after: CatalogServer): ServerDifference | undefined {
  const lists: CatalogChange['lists'][number][] = []
  if (before.tools !== after.tools) lists.push('tools')
  if (before.prompts !== after.prompts) lists.push('prompts')
  const hasSameTemplates = before.resourceTemplates === after.resourceTemplates
  if (before.resources !== after.resources || !hasSameTemplates) lists.push('resources')
  const state = before.state !== after.state
  const searched = before.tools !== after.tools || before.instructions !== after.instructions
  const isSame =
    lists.length === 0 &&
    !state &&
    !searched &&
    before.name === after.name &&
    before.isLastGood === after.isLastGood &&
    before.problem === after.problem &&
    before.remarks === after.remarks
  return isSame ? undefined : { lists, state, searched }
}

/** A server in the catalog: what is known of it and how far getting to know it has come. */
export interface Member {
  readonly entry: CatalogEntry
  readonly refresher: Refresher
  /** When it last answered with a list, by the catalog's clock. */
  listedAt: number
  /** What is known is also kept for later lives of the gateway. */
  isKept: boolean
  /** The server is being started only to learn what it has. */
  isMeeting: boolean
  couldNotMeet: boolean
}

/** States in which a server gives no answer that would be worth waiting for. */
const AT_REST: ReadonlySet<string> = new Set<CatalogServer['state']>([
  'stopped',
  'failed',
  'needs-login',
  'quarantined',
])

/** Whether nothing more is to be expected of an eager server for now. Others are not waited for at all. */
export function isSettled({ entry }: Member): boolean {
  const { enabled, start } = entry.server.definition
  return !enabled || start !== 'eager' || entry.hasAnswered || AT_REST.has(entry.state)
}

/** Whether something is known of a server, or it could not be reached. */
export function isMet({ entry, couldNotMeet }: Member): boolean {
  return !entry.server.definition.enabled || entry.isKnown || couldNotMeet || AT_REST.has(entry.state)
}

/** Whether the server promised to say when its tools change. */
export function reportsChanges(server: Server): boolean {
  const tools = server.capabilities()?.['tools']
  return isRecord(tools) && tools['listChanged'] === true
}

/** The lists in which a server has anything: what changes when it goes. */
export function filledLists(server: CatalogServer): CatalogChange['lists'] {
  const lists: CatalogChange['lists'][number][] = []
  if (server.tools.size > 0) lists.push('tools')
  if (server.prompts.length > 0) lists.push('prompts')
  if (server.resources.length + server.resourceTemplates.length > 0) lists.push('resources')
  return lists
}
