import type { EligibleTools } from '../access/eligible-tools.ts'
import type { CatalogTool } from '../catalog/catalog.ts'
import { type ClientCost, type ContextCost, NO_COST, type ListReader } from '../model/context-cost.ts'
import { searchesNatively } from './native-search.ts'
import { TokenEstimate, tokensOfText } from './token-estimate.ts'

/** A list that a client received. */
export interface ListGiven {
  readonly listed: readonly object[]
  readonly eligible: EligibleTools
  /** Whether the list contains all tools. */
  readonly isWhole: boolean
}

const MOST_CLIENTS = 1_000
const MOST_CONVERSATIONS = 10_000
/** Client names are untrusted, so they are cut. */
const LONGEST_NAME = 100

/** The tokens of a conversation so far. Without a session, every list begins a new one. */
interface Conversation {
  loaded: number
  whole: number
  readonly used: Set<CatalogTool['key']>
}

interface ListSize {
  readonly all: number
  /** For clients that keep deferred definitions out of the context: only their names count. */
  readonly withoutDeferred: number
}

/**
 * Counts the tokens that go into the contexts of models, per client and endpoint. A session that requests its list again
 * counts only the additions, on both sides of the comparison, so that reloading distorts neither.
 */
export class ContextCosts {
  readonly #tokens = new TokenEstimate()
  readonly #isOwn: (reader: ListReader) => boolean
  readonly #clients = new Map<string, ClientCost>()
  readonly #conversations = new Map<string, Conversation>()
  readonly #measured = new WeakMap<object, ListSize>()

  /** @param isOwn whether a reader is the program itself, whose lists reach no model */
  constructor(isOwn: (reader: ListReader) => boolean = () => false) {
    this.#isOwn = isOwn
  }

  listed(reader: ListReader, { listed, eligible, isWhole }: ListGiven): void {
    const size = this.#sizeOf(listed)
    const loaded = defersTools(reader) ? size.withoutDeferred : size.all
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

  /** Counts the schema of a deferred tool at its first call: the client must have loaded it before. */
  calledDeferred(reader: ListReader, { key, definition }: Pick<CatalogTool, 'key' | 'definition'>): void {
    const conversation = this.#conversations.get(conversationKey(reader))
    if (!defersTools(reader) || conversation === undefined || conversation.used.has(key)) return
    conversation.used.add(key)
    this.#add(reader, { ofSchemas: this.#tokens.ofTool(definition) })
  }

  /** The costs of each client since the last `take`. */
  all(): readonly ClientCost[] {
    return [...this.#clients.values()]
  }

  /** Returns the costs and resets them. Conversations continue. */
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
    const { sessionId: _session, clientVersion: _version, clientName, ...rest } = reader
    const client = { ...rest, ...(clientName !== undefined && { clientName: clientName.slice(0, LONGEST_NAME) }) }
    const key = clientKey(client)
    const known = this.#clients.get(key)
    if (known === undefined && this.#clients.size >= MOST_CLIENTS) return
    this.#clients.set(key, { client, cost: sumOfCosts([known?.cost ?? NO_COST, { ...NO_COST, ...more }]) })
  }

  /** Measures each list once. */
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

/** The sum of several costs. */
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

/** Sums the costs per client and endpoint. */
export function sumByClient(costs: readonly ClientCost[]): readonly ClientCost[] {
  const groups = Map.groupBy(costs, ({ client }) => clientKey(client))
  return Array.from(groups.values(), (group) =>
    group.length === 1 ? group : [{ ...group[0], cost: sumOfCosts(group.map(({ cost }) => cost)) } as ClientCost],
  ).flat()
}

/** The saved tokens; negative where listing everything would have been cheaper. */
export function savedBy({ ifAllWereListed, ofLists, ofSearches, ofSchemas }: ContextCost): number {
  return ifAllWereListed - ofLists - ofSearches - ofSchemas
}

/** Whether the client is known to keep deferred tools out of the context. */
const defersTools = (reader: ListReader): boolean => searchesNatively(reader)

const clientKey = ({ endpointId, projectId, tokenId, clientName }: ListReader): string =>
  JSON.stringify([endpointId, projectId, tokenId, clientName ?? null])

/** No JSON array begins like a session. */
const conversationKey = (reader: ListReader): string =>
  reader.sessionId === undefined ? clientKey(reader) : `session ${reader.sessionId}`

/** The text of a result, which the model reads. Structured content repeats it. */
function textIn({ content }: Readonly<Record<string, unknown>>): string {
  const blocks = Array.isArray(content) ? (content as readonly { readonly text?: unknown }[]) : []
  return blocks.map(({ text }) => (typeof text === 'string' ? text : '')).join('')
}
