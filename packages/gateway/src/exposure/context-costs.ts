import type { EligibleTools } from '../access/eligible-tools.ts'
import type { CatalogTool } from '../catalog/catalog.ts'
import { type ClientCost, type ContextCost, NO_COST, type ListReader } from '../model/context-cost.ts'
import { searchesNatively } from './decide-exposure.ts'
import { TokenEstimate, tokensOfText } from './token-estimate.ts'

/** A list as a client got it. */
export interface ListGiven {
  readonly listed: readonly object[]
  readonly eligible: EligibleTools
  /** Whether it is all that there is, so that listing everything would have cost the same. */
  readonly isWhole: boolean
}

const MOST_CLIENTS = 1_000
const MOST_CONVERSATIONS = 10_000
/** Client names are what anybody says. */
const LONGEST_NAME = 100

/** What a conversation holds by now. Without a session it begins anew with every list. */
interface Conversation {
  loaded: number
  whole: number
  readonly used: Set<CatalogTool['key']>
}

interface ListSize {
  readonly all: number
  /** For clients that keep deferred definitions out of the context: of those only the names. */
  readonly withoutDeferred: number
}

/**
 * Counts, per client and endpoint, what went into the contexts of models. A session that asks for its list again is charged
 * for what was added, and everything listed is charged once, too: neither side is made to look better by reloading.
 */
export class ContextCosts {
  readonly #tokens = new TokenEstimate()
  readonly #isOwn: (reader: ListReader) => boolean
  readonly #clients = new Map<string, ClientCost>()
  readonly #conversations = new Map<string, Conversation>()
  readonly #measured = new WeakMap<object, ListSize>()

  /** @param isOwn whether a reader is the program itself, whose lists cost no model anything */
  constructor(isOwn: (reader: ListReader) => boolean = () => false) {
    this.#isOwn = isOwn
  }

  listed(reader: ListReader, { listed, eligible, isWhole }: ListGiven): void {
    const size = this.#sizeOf(listed)
    const loaded = isHeeded(reader) ? size.withoutDeferred : size.all
    const whole = isWhole ? size.all : this.#tokens.ofWhole(eligible)
    const before = reader.sessionId === undefined ? undefined : this.#conversations.get(conversationKey(reader))
    if (before === undefined) {
      this.#begin(reader, { loaded, whole, used: new Set() })
      this.#add(reader, { lists: 1, ofLists: loaded, ifAllWereListed: whole })
      return
    }
    const [more, moreWhole] = [Math.max(0, loaded - before.loaded), Math.max(0, whole - before.whole)]
    before.loaded += more
    before.whole += moreWhole
    this.#add(reader, { ofSchemas: more, ifAllWereListed: moreWhole })
  }

  /** @param result of the search tool, as the client gets it */
  searched(reader: ListReader, result: Readonly<Record<string, unknown>>): void {
    this.#add(reader, { searches: 1, ofSearches: tokensOfText(textIn(result)) })
  }

  /** A deferred tool that is called was loaded before, by a search that only the client knows of. */
  calledDeferred(reader: ListReader, { key, definition }: Pick<CatalogTool, 'key' | 'definition'>): void {
    const conversation = this.#conversations.get(conversationKey(reader))
    if (!isHeeded(reader) || conversation === undefined || conversation.used.has(key)) return
    conversation.used.add(key)
    this.#add(reader, { ofSchemas: this.#tokens.ofTool(definition) })
  }

  /** What each client loaded, since it was last taken. */
  all(): readonly ClientCost[] {
    return [...this.#clients.values()]
  }

  /** The same; whoever takes it keeps it. Conversations go on. */
  take(): readonly ClientCost[] {
    const taken = this.all()
    this.#clients.clear()
    return taken
  }

  #begin(reader: ListReader, conversation: Conversation): void {
    const key = conversationKey(reader)
    this.#conversations.delete(key)
    this.#conversations.set(key, conversation)
    const [oldest] = this.#conversations.keys()
    if (this.#conversations.size > MOST_CONVERSATIONS && oldest !== undefined) this.#conversations.delete(oldest)
  }

  #add(reader: ListReader, more: Partial<ContextCost>): void {
    if (this.#isOwn(reader)) return
    const { sessionId: _session, clientName, ...rest } = reader
    const client = { ...rest, ...(clientName !== undefined && { clientName: clientName.slice(0, LONGEST_NAME) }) }
    const key = clientKey(client)
    const known = this.#clients.get(key)
    if (known === undefined && this.#clients.size >= MOST_CLIENTS) return
    this.#clients.set(key, { client, cost: sumOfCosts([known?.cost ?? NO_COST, { ...NO_COST, ...more }]) })
  }

  /** A list is measured once, however often it is sent. */
  #sizeOf(listed: readonly object[]): ListSize {
    const known = this.#measured.get(listed)
    if (known !== undefined) return known
    let [all, withoutDeferred] = [0, 0]
    for (const tool of listed as readonly { readonly name?: string; readonly defer_loading?: boolean }[]) {
      const tokens = this.#tokens.ofTool(tool)
      all += tokens
      withoutDeferred += tool.defer_loading === true ? tokensOfText(tool.name ?? '') : tokens
    }
    const size = { all, withoutDeferred }
    this.#measured.set(listed, size)
    return size
  }
}

/** Several costs as one. */
export function sumOfCosts(costs: readonly ContextCost[]): ContextCost {
  const sum = (part: keyof ContextCost): number => costs.reduce((total, cost) => total + cost[part], 0)
  return {
    lists: sum('lists'),
    searches: sum('searches'),
    ifAllWereListed: sum('ifAllWereListed'),
    ofLists: sum('ofLists'),
    ofSearches: sum('ofSearches'),
    ofSchemas: sum('ofSchemas'),
  }
}

/** One cost for each client and endpoint. */
export function sumByClient(costs: readonly ClientCost[]): readonly ClientCost[] {
  const groups = Map.groupBy(costs, ({ client }) => clientKey(client))
  return Array.from(groups.values(), (group) =>
    group.length === 1 ? group : [{ ...group[0], cost: sumOfCosts(group.map(({ cost }) => cost)) } as ClientCost],
  ).flat()
}

/** What was saved. Negative where it cost more than listing everything would have. */
export function savedBy({ ifAllWereListed, ofLists, ofSearches, ofSchemas }: ContextCost): number {
  return ifAllWereListed - ofLists - ofSearches - ofSchemas
}

/** Whether the client keeps what is deferred out of the context. Of others it is not known, so the worst is assumed. */
const isHeeded = ({ clientName }: ListReader): boolean => clientName !== undefined && searchesNatively(clientName)

const clientKey = ({ endpointId, projectId, tokenId, clientName }: Omit<ListReader, 'sessionId'>): string =>
  JSON.stringify([endpointId, projectId, tokenId, clientName ?? null])

/** No JSON array begins like a session. */
const conversationKey = (reader: ListReader): string =>
  reader.sessionId === undefined ? clientKey(reader) : `session ${reader.sessionId}`

/** What a model reads of a result: its texts. Structured content repeats them. */
function textIn({ content }: Readonly<Record<string, unknown>>): string {
  const blocks = Array.isArray(content) ? (content as readonly { readonly text?: unknown }[]) : []
  return blocks.map(({ text }) => (typeof text === 'string' ? text : '')).join('')
}
