import { ServerReplyError } from '../errors.ts'
import type {
  RawResult,
  RequestOptions,
  Server,
  ServerEvent,
  ServerPool,
  ServerRequest,
  Trial,
} from '../servers/server.ts'
import type { ServerDefinition, ServerState, ServerStatus } from '../model/server.ts'

type Items = readonly Readonly<Record<string, unknown>>[]

export function definitionOf(id: string, over: Partial<ServerDefinition> = {}): ServerDefinition {
  return {
    id,
    name: id,
    transport: { kind: 'stdio', command: 'true', args: [], env: {} },
    enabled: true,
    start: 'eager',
    era: 'auto',
    instances: 'shared',
    roots: true,
    limits: {
      startTimeoutMs: 1_000,
      listTimeoutMs: 1_000,
      callTimeoutMs: 1_000,
      maxCallTimeoutMs: 1_000,
      maxConcurrentCalls: 8,
      maxReplyBytes: 1_000_000,
      idleStopMs: 0,
      maxInstances: 4,
      maxTools: 1_000,
    },
    ...over,
  }
}

/** A scripted server, for faults as well. It lists in pages, of two by default. */
export class FakeServer implements Server {
  readonly definition: ServerDefinition
  readonly #emit: (event: ServerEvent) => void
  readonly requests: string[] = []
  pageSize = 2
  asks = false
  tools: Items = []
  prompts: Items = []
  resources: Items = []
  resourceTemplates: Items = []
  about: string | undefined
  declared: Readonly<Record<string, unknown>> = { tools: { listChanged: true }, prompts: {}, resources: {} }
  /** Methods that are never answered. */
  readonly hanging = new Set<string>()
  readonly failing = new Map<string, Error>()
  /** The answers to other methods than lists. */
  readonly answers = new Map<string, RawResult>()
  #state: ServerState
  #wasConnected = false

  constructor(definition: ServerDefinition, emit: (event: ServerEvent) => void, state: ServerState) {
    this.definition = definition
    this.#emit = emit
    this.#state = state
    this.#wasConnected = state === 'running'
  }

  status(): ServerStatus {
    const { id, name } = this.definition
    return { id, name, state: this.#state, since: 0, restarts: 0 }
  }

  capabilities(): Readonly<Record<string, unknown>> | undefined {
    return this.#wasConnected ? this.declared : undefined
  }

  instructions(): string | undefined {
    return this.#wasConnected ? this.about : undefined
  }

  /** Changes the state and emits the event. */
  become(state: ServerState): void {
    this.#state = state
    if (state === 'running') this.#wasConnected = true
    this.#emit({ kind: 'state', serverId: this.definition.id, status: this.status() })
  }

  /** Emits a list change. */
  announce(list: 'tools' | 'prompts' | 'resources'): void {
    this.#emit({ kind: 'list-changed', serverId: this.definition.id, list })
  }

  async request({ method, params }: ServerRequest, _options?: RequestOptions): Promise<RawResult> {
    if (this.#state === 'idle') {
      this.become('starting')
      await Promise.resolve()
      this.become('running')
    }
    this.requests.push(method)
    if (this.hanging.has(method)) return new Promise(() => {})
    const failure = this.failing.get(method)
    if (failure !== undefined) throw failure
    const items = { 'tools/list': this.tools, 'prompts/list': this.prompts, 'resources/list': this.resources }[method]
    if (items !== undefined) return page(method.split('/')[0] ?? '', items, params?.['cursor'], this.pageSize)
    if (method === 'resources/templates/list')
      return page('resourceTemplates', this.resourceTemplates, params?.['cursor'])
    const answer = this.answers.get(method)
    if (answer !== undefined) return answer
    throw new ServerReplyError(-32601, 'Method not found')
  }

  async start(): Promise<void> {
    this.become('running')
  }

  async stop(): Promise<void> {
    this.become('stopped')
  }

  async restart(): Promise<void> {
    this.become('running')
  }

  remarks(): [] {
    return []
  }

  logs(): [] {
    return []
  }

  async closeSession(): Promise<void> {}

  notify(): void {}

  asksClients(): boolean {
    return this.asks
  }

  rememberAsking(): void {
    this.asks = true
  }

  isContended(): boolean {
    return false
  }

  /** How often a list was requested from its beginning; needs lists of at most two. */
  asked(method: string): number {
    return this.requests.filter((request) => request === method).length
  }
}

function page(field: string, items: Items, cursor: unknown, size = 2): RawResult {
  const from = Number(cursor ?? 0)
  const next = from + size
  return { [field]: items.slice(from, next), ...(next < items.length ? { nextCursor: String(next) } : {}) }
}

/** A pool without behaviour of its own. */
export class FakePool implements ServerPool {
  readonly #listeners = new Set<(event: ServerEvent) => void>()
  #servers: FakeServer[] = []

  add(definition: ServerDefinition, state: ServerState = 'running'): FakeServer {
    const server = new FakeServer(definition, (event) => this.emit(event), state)
    const rest = this.#servers.filter((other) => other.definition.id !== definition.id)
    this.#servers = [...rest, server]
    return server
  }

  remove(serverId: string): void {
    this.#servers = this.#servers.filter(({ definition }) => definition.id !== serverId)
  }

  emit(event: ServerEvent): void {
    for (const listener of this.#listeners) listener(event)
  }

  get(serverId: string): FakeServer | undefined {
    return this.#servers.find(({ definition }) => definition.id === serverId)
  }

  all(): readonly FakeServer[] {
    return this.#servers
  }

  async reconcile(): Promise<void> {}

  onEvent(listener: (event: ServerEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Takes the tools of the server with the same id, if there is one. */
  async tryOut({ id }: ServerDefinition): Promise<Trial> {
    return { serverInfo: { name: 'fake' }, tools: this.get(id)?.tools.length ?? 0, logs: [] }
  }

  async stop(): Promise<void> {}
}
