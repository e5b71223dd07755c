import type { ModelSource } from '../access/model.ts'
import type { Principal } from '../access/principal.ts'
import { createToken, hashToken } from '../access/tokens.ts'
import { dataPaths } from '../config/data-paths.ts'
import { type ConfigOverrides, findConfigFile, type LoadedConfig, loadConfig } from '../config/load-config.ts'
import { LOCAL_PRINCIPAL, withLocalAccess } from '../config/local-access.ts'
import { fixedModelSource } from '../config/fixed-model-source.ts'
import { FileModelSource } from '../config/model-source.ts'
import type { CommandContext, CommonOptions } from './context.ts'
import { EXIT } from './exit-codes.ts'
import { type OpenGateway, openCommandLogger, openGateway } from './open-gateway.ts'
import { removeRunRecord, writePrivateJson } from './run-record.ts'
import { keepServerStates } from './server-states.ts'
import { showStart } from './show-start.ts'
import { releaseStartMemory } from '../telemetry/release-start-memory.ts'

const LONGEST_STOP_MS = 3_000

/** What `tooldex serve` takes. */
export interface ServeOptions extends CommonOptions {
  readonly host?: string
  readonly port?: number
  readonly demo?: boolean
  /** End after showing what was started: for trying out and for tests. */
  readonly exit?: boolean
}

/** What is served: a watched file, or the demo. */
interface Served {
  readonly loaded: LoadedConfig
  readonly models: ModelSource
  readonly log: ReturnType<typeof openCommandLogger>
  /** A secret to show, made for this run. */
  readonly shownToken?: string
  readonly notes: readonly string[]
  /** Where the demo's configuration is, to be tried with other commands. */
  readonly configFile?: string
  stop(): Promise<void>
}

/** `tooldex serve`: the gateway over HTTP, until it is asked to stop. */
export async function serve(options: ServeOptions, context: CommandContext): Promise<number> {
  const served = options.demo === true ? await serveDemo(options, context) : await serveFile(options, context)
  const local = createToken()
  const tokens = new Map<string, Principal>([[local.hash, LOCAL_PRINCIPAL]])
  if (served.shownToken !== undefined) {
    tokens.set(hashToken(served.shownToken), { tokenId: 'this-run', name: 'this run', readOnly: false })
  }
  const models = withLocalAccess(served.models, tokens)
  const { config } = served.loaded
  const open = await openGateway(config, models, served.log, context)
  const paths = dataPaths(config.dataDir)
  const stopAsked = context.signals.stop()
  let stopKeeping = (): void => {}
  try {
    const { url } = await open.gateway.listen()
    const record = { pid: process.pid, url, version: context.version, startedAt: context.now(), token: local.secret }
    writePrivateJson(paths.runRecord, record)
    stopKeeping = keepServerStates(paths.serverStates, open.gateway, (err) =>
      open.logger.warn({ err }, 'the states of servers cannot be written'),
    )
    const shown = showStart({ ...served, record, open, options }, context)
    await Promise.race([shown, stopAsked])
    if (options.exit !== true) {
      releaseStartMemory()
      await stopAsked
    }
  } finally {
    stopKeeping()
    removeRunRecord(paths.runRecord, process.pid)
    await withinLimit(stopAll(open, served), open)
  }
  return EXIT.ok
}

async function serveFile(options: ServeOptions, context: CommandContext): Promise<Served> {
  const { environment } = context
  const path = await findConfigFile(options.config, environment)
  const overrides: ConfigOverrides = {
    ...(options.host !== undefined && { host: options.host }),
    ...(options.port !== undefined && { port: options.port }),
    ...(options.data !== undefined && { dataDir: options.data }),
  }
  const load = (): Promise<LoadedConfig> => loadConfig(path, environment, overrides)
  const loaded = await load()
  const log = openCommandLogger(loaded.config.logLevel, context)
  const models = new FileModelSource({ path, initial: loaded, load, logger: log.logger })
  // Not waited for: clients are served meanwhile.
  const watching = models.watch()
  const stopListening = context.signals.onReload(() => void models.reload())
  const needsToken =
    loaded.model.tokens.size === 0 && [...loaded.model.endpoints.values()].some(({ auth }) => auth === 'token')
  return {
    loaded,
    models,
    log,
    notes: [],
    ...(needsToken && { shownToken: createToken().secret }),
    async stop() {
      stopListening()
      await watching
      await models.stop()
    },
  }
}

async function serveDemo(options: ServeOptions, context: CommandContext): Promise<Served> {
  const { prepareDemo } = await import('../demo/prepare-demo.ts')
  const demo = await prepareDemo(
    {
      ...(options.data !== undefined && { dataDir: options.data }),
      ...(options.host !== undefined && { host: options.host }),
      ...(options.port !== undefined && { port: options.port }),
    },
    context.environment,
  )
  return {
    loaded: demo.loaded,
    models: fixedModelSource(demo.loaded.model),
    log: openCommandLogger('warn', context),
    notes: demo.notes,
    configFile: demo.configFile,
    shownToken: createToken().secret,
    stop: demo.remove,
  }
}

async function stopAll(open: OpenGateway, served: Served): Promise<void> {
  await open.close()
  await served.stop()
}

/** Whoever asked the program to stop does not wait longer than this. */
async function withinLimit(stopped: Promise<void>, { logger }: OpenGateway): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      logger.warn({ afterMs: LONGEST_STOP_MS }, 'stopping takes too long; ending now')
      resolve()
    }, LONGEST_STOP_MS)
  })
  await Promise.race([stopped, late]).finally(() => clearTimeout(timer))
}
