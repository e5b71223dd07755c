import { resolve } from 'node:path'
import { createToken } from '../access/tokens.ts'
import { dataPaths } from '../config/data-paths.ts'
import { type ConfigOverrides, findConfigFile, loadConfig, type LoadedConfig } from '../config/load-config.ts'
import { DRAIN_MS, localUrl, reachableUrl } from '../config/gateway-config.ts'
import { LOCAL_PRINCIPAL, withLocalAccess } from '../config/local-access.ts'
import type { MergedConfig } from '../config/merge-config.ts'
import type { DeclaredConfig } from '../config/parse-config.ts'
import { type StoreModelOptions, StoreModelSource } from '../config/store-model-source.ts'
import type { AuditLog } from '../model/audit.ts'
import type { ModelSource } from '../model/gateway-model.ts'
import type { Principal } from '../model/principal.ts'
import type { Store } from '../model/store.ts'
import type { CommandContext } from './gateway/context.ts'
import type { CommonOptions } from './terminal/command-options.ts'
import { stdioCommand } from './setup/own-program.ts'
import { EXIT } from './terminal/exit-codes.ts'
import { overridesOf } from './gateway/load-config-file.ts'
import { commandAct } from './gateway/open-audit-log.ts'
import { openCommandLogger, type OpenGateway, openGateway } from './gateway/open-gateway.ts'
import { ensureDataFolder } from './gateway/data-folder.ts'
import { openConfiguredStore } from './gateway/open-store.ts'
import { checkNoOther, claimRunRecord, databaseMark, ownStart, removeRunRecord } from './gateway/running-gateway.ts'
import { type KeptServerStates, keepServerStates } from './gateway/server-states.ts'
import { FIRST_CLIENT, showStart } from './show-start.ts'

const STOP_TIMEOUT_MS = 3_000
const NO_SERVERS =
  'no servers yet. Add one: tooldex server add files -- npx -y @modelcontextprotocol/server-filesystem .'

/** Options of `tooldex serve`. */
export interface ServeOptions extends CommonOptions {
  readonly host?: string
  readonly port?: number
  readonly demo?: boolean
  /** Exit after the start screen: for trials and tests. */
  readonly exit?: boolean
}

/** The configuration to serve, and its store. */
interface Served {
  readonly loaded: LoadedConfig
  readonly store: Store
  readonly models: ModelSource
  readonly declared: () => DeclaredConfig
  readonly inForce: () => MergedConfig
  readonly log: ReturnType<typeof openCommandLogger>
  /** The secret of the demo's token, shown on the start screen. */
  readonly shownToken?: string
  /** Whether clients need a token that only the store can have. */
  readonly needsToken: boolean
  readonly notes: readonly string[]
  /** The configuration file of the demo, for use with other commands. */
  readonly configFile?: string
  stop(): Promise<void>
}

/** `tooldex serve`: serves the gateway over HTTP until a signal stops it. */
export async function serve(options: ServeOptions, context: CommandContext): Promise<number> {
  const served = options.demo === true ? await serveDemo(options, context) : await serveConfigured(options, context)
  const local = createToken()
  const tokens = new Map<string, Principal>([[local.hash, LOCAL_PRINCIPAL]])
  const { config } = served.loaded
  const models = withLocalAccess(served.models, tokens)
  const given = served.configFile === undefined ? options : { config: served.configFile, data: config.dataDir }
  const program = stdioCommand(context, given)
  const parts = { ...served, config, models, localHash: local.hash, program, isServing: true }
  const open = await openGateway(parts, context)
  const paths = dataPaths(config.dataDir)
  const stopAsked = context.signals.stop()
  let states: KeptServerStates | undefined
  try {
    const { url } = await open.gateway.listen()
    const start = await ownStart()
    const record = {
      ...{ pid: process.pid, version: context.version, startedAt: context.now() },
      ...{ url: localUrl(url), token: local.secret },
      ...(start !== undefined && { start }),
      // The demo is found by its folder alone.
      ...(options.demo !== true && { config: config.path ?? null }),
      database: databaseMark(config.database),
    }
    await claimRunRecord(paths.runRecord, record, context.fetch)
    states = keepServerStates(paths.serverStates, open.gateway, (err) =>
      open.logger.warn({ err }, 'cannot write the states of the servers'),
    )
    // Created after the listener, so that a failed start does not lose the secrets before they are shown.
    const first = options.demo === true ? {} : await firstTokens(served, context, open.audit)
    const started = { ...served, ...first, model: served.models.current(), onReady: () => states?.write() }
    const shown = showStart({ ...started, url: reachableUrl(url, config.listen), open, options }, context)
    await Promise.race([shown, stopAsked])
    if (options.exit !== true) {
      await stopAsked
      await drain(open, config.drainMs, context)
    }
  } finally {
    states?.stop()
    removeRunRecord(paths.runRecord, local.secret)
    await withinLimit(stopAll(open, served), open)
  }
  return EXIT.ok
}

async function serveConfigured(options: ServeOptions, context: CommandContext): Promise<Served> {
  const { environment } = context
  const path = await findConfigFile(options.config, environment)
  const overrides: ConfigOverrides = {
    ...overridesOf(options),
    ...(options.host !== undefined && { host: options.host }),
    ...(options.port !== undefined && { port: options.port }),
  }
  const load = (file: string | undefined): Promise<LoadedConfig> => loadConfig(file, environment, overrides)
  const loaded = await load(path)
  await checkNoOther(dataPaths(loaded.config.dataDir).runRecord, context.fetch)
  const log = openCommandLogger(loaded.config.logLevel, context)
  for (const remark of loaded.remarks ?? []) log.logger.warn({}, remark)
  const find = (): Promise<string | undefined> => findConfigFile(options.config, environment)
  const { store, models } = await openModels({ initial: loaded, load, find }, log, context)
  // Not awaited: the gateway serves clients in the meantime.
  const watching = models.watch()
  const stopListening = context.signals.onReload(() => void models.reload())
  const { tokens, endpoints, servers } = models.current()
  const isGuarded = [...endpoints.values()].some(({ auth }) => auth === 'token')
  const needsToken = tokens.size === 0 && isGuarded && loaded.config.auth === undefined
  return {
    loaded,
    store,
    models,
    declared: () => models.declared(),
    inForce: () => models.merged(),
    log,
    notes: servers.length === 0 ? [NO_SERVERS] : [],
    needsToken,
    async stop() {
      stopListening()
      await watching
      await models.stop()
    },
  }
}

async function serveDemo(options: ServeOptions, context: CommandContext): Promise<Served> {
  if (options.data !== undefined) ensureDataFolder(resolve(context.environment.cwd, options.data))
  const { prepareDemo } = await import('../demo/prepare-demo.ts')
  const demo = await prepareDemo(
    {
      ...(options.data !== undefined && { dataDir: options.data }),
      ...(options.host !== undefined && { host: options.host }),
      ...(options.port !== undefined && { port: options.port }),
    },
    context.environment,
  )
  await checkNoOther(dataPaths(demo.loaded.config.dataDir).runRecord, context.fetch)
  const log = openCommandLogger('warn', context)
  let shownToken = ''
  const source = { initial: demo.loaded, load: async () => demo.loaded }
  const { store, models } = await openModels(source, log, context, async (opened) => {
    shownToken = await demo.fill(opened, context.now())
  })
  return {
    loaded: demo.loaded,
    store,
    models,
    declared: () => models.declared(),
    inForce: () => models.merged(),
    log,
    notes: demo.notes,
    configFile: demo.configFile,
    shownToken,
    needsToken: false,
    async stop() {
      await models.stop()
      await demo.remove()
    },
  }
}

/** @throws GatewayError CONFIG_INVALID where the file and the store conflict */
async function openModels(
  source: Pick<StoreModelOptions, 'initial' | 'load' | 'find'>,
  { logger }: ReturnType<typeof openCommandLogger>,
  context: CommandContext,
  prepare: (store: Store) => Promise<void> = async () => {},
): Promise<{ readonly store: Store; readonly models: StoreModelSource }> {
  const store = await openConfiguredStore(source.initial.config, context, logger, { mayStartBehind: true })
  try {
    await prepare(store)
    return { store, models: new StoreModelSource({ ...source, store, logger }) }
  } catch (error) {
    await store.close()
    throw error
  }
}

async function stopAll(open: OpenGateway, served: Served): Promise<void> {
  await open.close()
  await served.stop()
}

/** Lets requests under way finish, within the limit and until a second signal. */
async function drain(
  { gateway, logger }: OpenGateway,
  drainMs: number = DRAIN_MS,
  { terminal, signals }: CommandContext,
): Promise<void> {
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), drainMs)
  void signals.stopNow().then(() => limit.abort())
  const count = gateway.requestsUnderWay
  if (count > 0) {
    logger.info({ requests: count, drainMs }, 'stopping: requests under way may finish')
    if (terminal.isScreen) {
      const requests = count === 1 ? 'a request' : `${count} requests`
      terminal.err(`waiting for ${requests}, at most ${drainMs / 1_000} s. Press Ctrl-C again to stop now.\n`)
    }
  }
  await gateway.drain(limit.signal)
  clearTimeout(timer)
  const left = gateway.requestsUnderWay
  if (left > 0) logger.warn({ requests: left }, 'stopping: these requests are cancelled')
}

/** Waits for the end of a stop, but no longer than the limit. */
async function withinLimit(stopped: Promise<void>, { logger }: OpenGateway): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      logger.warn({ afterMs: STOP_TIMEOUT_MS }, 'stopping takes too long; exiting now')
      resolve()
    }, STOP_TIMEOUT_MS)
  })
  await Promise.race([stopped, late]).finally(() => clearTimeout(timer))
}

/** The secrets of tokens that were created at the first start. */
interface FirstTokens {
  readonly adminToken?: string
  readonly shownToken?: string
}

/**
 * Creates the first admin token and, if clients need one, the first token for clients; both last. A store that has an admin
 * token was started before: tokens that were revoked since are not replaced.
 */
async function firstTokens(
  { store, needsToken }: Pick<Served, 'store' | 'needsToken'>,
  context: CommandContext,
  audit: AuditLog,
): Promise<FirstTokens> {
  if (store.current().tokens.admins.length > 0) return {}
  const now = context.now()
  const names = { admin: 'first admin', client: FIRST_CLIENT } as const
  const made = await store.change(async (changes) => {
    // Another gateway may have created one in the meantime.
    if (changes.state.tokens.admins.length > 0) return []
    const created = (needsToken ? (['admin', 'client'] as const) : (['admin'] as const)).map((kind) => {
      const { secret, hash } = createToken(kind)
      return { kind, secret, hash, id: `${kind}-${hash.slice(0, 8)}`, name: names[kind] }
    })
    for (const { secret: _, ...token } of created) {
      await changes.putToken({ ...token, readOnly: false, createdAt: now, updatedAt: now })
    }
    return created
  })
  for (const { id, name } of made) {
    audit.record(commandAct(context, 'createToken', [{ of: 'token', id, name, how: 'added', fields: [] }]))
  }
  const secretOf = (kind: 'admin' | 'client') => made.find((token) => token.kind === kind)?.secret
  const [adminToken, shownToken] = [secretOf('admin'), secretOf('client')]
  return { ...(adminToken !== undefined && { adminToken }), ...(shownToken !== undefined && { shownToken }) }
}
