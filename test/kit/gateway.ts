import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { GatewayModel, ModelSource } from '../../packages/gateway/src/model/gateway-model.ts'
import { createToken } from '../../packages/gateway/src/access/tokens.ts'
import { assemble } from '../../packages/gateway/src/assemble.ts'
import type { Gateway } from '../../packages/gateway/src/gateway.ts'
import type { AuditEntry } from '../../packages/gateway/src/model/audit.ts'
import { MemoryAuditLog } from '../../packages/gateway/src/audit/memory-audit-log.case.ts'
import { configFrom, modelOf } from '../../packages/gateway/src/config/load-config.ts'
import { openLogger } from '../../packages/gateway/src/telemetry/logger.ts'
import { PrometheusMetrics } from '../../packages/gateway/src/telemetry/metrics.ts'
import { type ClientKind, type ClientOptions, connect, type Json, type TestClient } from './clients.ts'
import type { ServerEntry } from './fixture-server.ts'

type Entry = Readonly<Record<string, unknown>>

/** A configuration in the form of `tooldex.json`; tokens by name, with generated secrets. */
export interface GatewaySetup {
  readonly servers: Readonly<Record<string, ServerEntry>>
  readonly projects?: Readonly<Record<string, Entry>>
  readonly endpoints?: Readonly<Record<string, Entry>>
  /** Beside the token `test`, which may use everything. */
  readonly tokens?: Readonly<Record<string, Entry>>
  readonly middleware?: Entry
  readonly audit?: Entry
  readonly listen?: Entry
  readonly embeddings?: Entry
  readonly searchApi?: Entry
  readonly search?: Entry
  readonly startGraceMs?: number
  readonly learning?: boolean
}

/** How the gateway is run. */
export interface RunOptions {
  /** Lines of this level and above are kept in `lines`; silent by default. */
  readonly logLevel?: 'debug' | 'info' | 'warn'
  /** The data folder of an earlier run, whose lists are known then. */
  readonly dataDir?: string
  /** false = does not wait for the lists of the servers. */
  readonly waitForServers?: boolean
}

/** A real gateway on a port of its own, with its clients. */
export interface TestGateway extends AsyncDisposable {
  readonly url: string
  readonly inside: Gateway
  /** Its data folder; removed in the end unless it was given. */
  readonly dataDir: string
  /** Log lines, parsed. */
  readonly lines: readonly Entry[]
  secret(token?: string): string
  /** A client that is closed with the gateway. The same one for the same arguments, so that tests can share it. */
  client(kind: ClientKind, endpoint?: string, token?: string): Promise<TestClient>
  /** A client of its own. */
  newClient(kind: ClientKind, endpoint?: string, token?: string, options?: ClientOptions): Promise<TestClient>
  audited(): readonly AuditEntry[]
  /** The messages that a fixture server received so far. */
  seenBy(serverId: string): Promise<readonly Json[]>
  /** Makes a fixture server offer other tools, and waits until the catalog has them. */
  changeTools(serverId: string, tools: readonly object[]): Promise<void>
  /** Makes a fixture server report that a resource changed. */
  updateResource(serverId: string, uri: string): Promise<void>
  /** Applies another configuration, as saving the file does. */
  configure(setup: GatewaySetup): void
  stop(): Promise<void>
}

const STARTED_WITHIN_MS = 15_000

/** Starts a gateway from a configuration, with real servers, listening on a free port. */
export async function gatewayWith(setup: GatewaySetup, options: RunOptions = {}): Promise<TestGateway> {
  const secrets = new Secrets()
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'tooldex-e2e-')))
  const load = (each: GatewaySetup) => configFrom({ ...configOf(each, secrets), dataDir }, ENVIRONMENT, { port: 0 })
  const [{ config }, { model }] = [load(setup), modelOf(load(setup))]
  const models = new ChangingModel(model)
  const audit = new MemoryAuditLog(20_000)
  const lines: Entry[] = []
  const write = (line: string): void => void lines.push(JSON.parse(line) as Entry)
  const { logger } = openLogger({ level: options.logLevel ?? 'silent', write })
  const parts = {
    config,
    models,
    logger,
    metrics: new PrometheusMetrics(),
    audit,
    version: '0.0.0-test',
  }
  const inside = assemble({ ...parts, environment: { PATH: process.env['PATH'] ?? '' } })
  const { url } = await inside.listen()
  if (options.waitForServers !== false) await inside.catalog.ready(STARTED_WITHIN_MS)
  const clients = new Clients(url, secrets)
  const ask = async (serverId: string, method: string, params = {}) => {
    const server = inside.pool.get(serverId)
    if (server === undefined) throw new Error(`There is no server ${serverId}`)
    return server.request({ method, params })
  }
  const stop = async (): Promise<void> => {
    await clients.close()
    await inside.stop()
    if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true })
  }
  return {
    url,
    inside,
    dataDir,
    lines,
    secret: (token = 'test') => secrets.of(token),
    client: (kind, endpoint, token) => clients.shared(kind, endpoint, token),
    newClient: (kind, endpoint, token, of) => clients.open(kind, endpoint, token, of),
    audited: () => audit.entries(),
    seenBy: async (serverId) => (await ask(serverId, 'fixture/seen'))['seen'] as readonly Json[],
    changeTools: async (serverId, tools) => {
      const changed = new Promise<void>((resolve) => {
        const end = inside.catalog.onChange((change) => {
          if (change.serverId !== serverId || !change.lists.includes('tools')) return
          end()
          resolve()
        })
      })
      await ask(serverId, 'fixture/become', { tools })
      await changed
    },
    updateResource: async (serverId, uri) => void (await ask(serverId, 'fixture/update', { uri })),
    configure: (each) => models.become(modelOf(load(each)).model),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** Resolves when the condition holds; checks it every few milliseconds. */
export async function until(condition: () => boolean | Promise<boolean>, withinMs = 30_000): Promise<void> {
  const end = performance.now() + withinMs
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`The condition did not hold within ${withinMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

const ENVIRONMENT = { variables: {}, cwd: process.cwd(), home: tmpdir() }

function configOf(setup: GatewaySetup, secrets: Secrets): object {
  const { servers, projects = {}, endpoints = {}, tokens = {}, startGraceMs, learning } = setup
  const { audit = {}, listen = {}, embeddings = {}, searchApi = {}, search = {}, middleware } = setup
  const all = Object.entries({ test: {}, ...tokens })
  return {
    mcpServers: servers,
    projects,
    endpoints,
    listen,
    embeddings,
    searchApi,
    search,
    ...(startGraceMs !== undefined && { startGraceMs }),
    ...(learning !== undefined && { learning }),
    ...(middleware !== undefined && { middleware }),
    audit,
    tokens: all.map(([name, token]) => ({ name, sha256: secrets.hashOf(name), ...token })),
  }
}

/** Tokens by name: the same name has the same secret in every configuration of a gateway. */
class Secrets {
  readonly #tokens = new Map<string, { readonly secret: string; readonly hash: string }>()

  of(name: string): string {
    return this.#token(name).secret
  }

  hashOf(name: string): string {
    return this.#token(name).hash
  }

  #token(name: string): { readonly secret: string; readonly hash: string } {
    const token = this.#tokens.get(name) ?? createToken()
    this.#tokens.set(name, token)
    return token
  }
}

class Clients {
  readonly #url: string
  readonly #secrets: Secrets
  readonly #shared = new Map<string, Promise<TestClient>>()
  readonly #open: Promise<TestClient>[] = []

  constructor(url: string, secrets: Secrets) {
    this.#url = url
    this.#secrets = secrets
  }

  shared(kind: ClientKind, endpoint?: string, token?: string): Promise<TestClient> {
    const key = JSON.stringify([kind, endpoint, token])
    const client = this.#shared.get(key) ?? this.open(kind, endpoint, token)
    this.#shared.set(key, client)
    return client
  }

  open(kind: ClientKind, endpoint?: string, token = 'test', options?: ClientOptions): Promise<TestClient> {
    const client = connect(kind, this.#url, this.#secrets.of(token), endpoint, options)
    this.#open.push(client)
    return client
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#open.map(async (client) => (await client).close()))
  }
}

/** A model that tests can replace. */
class ChangingModel implements ModelSource {
  readonly #listeners = new Set<(model: GatewayModel, previous: GatewayModel) => void>()
  #model: GatewayModel

  constructor(model: GatewayModel) {
    this.#model = model
  }

  current(): GatewayModel {
    return this.#model
  }

  onChange(listener: (model: GatewayModel, previous: GatewayModel) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  become(model: GatewayModel): void {
    const previous = this.#model
    this.#model = model
    for (const listener of this.#listeners) listener(model, previous)
  }
}
