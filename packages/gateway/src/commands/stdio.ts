import { authenticateSecret, forwardClock } from '../access/tokens.ts'
import type { JoinedGateway } from '../clients/sdk/stdio-bridge.ts'
import { dataPaths } from '../config/data-paths.ts'
import { findConfigFile, loadConfig, type LoadedConfig } from '../config/load-config.ts'
import { LOCAL_PRINCIPAL } from '../config/local-access.ts'
import { StoreModelSource } from '../config/store-model-source.ts'
import { DEFAULT_ENDPOINT } from '../model/gateway-model.ts'
import type { Store } from '../model/store.ts'
import type { CommandContext } from './gateway/context.ts'
import type { CommonOptions } from './terminal/command-options.ts'
import { EXIT } from './terminal/exit-codes.ts'
import { checkEndpoint, overridesOf } from './gateway/load-config-file.ts'
import { openCommandLogger, openGateway } from './gateway/open-gateway.ts'
import { openConfiguredStore } from './gateway/open-store.ts'
import { findRunningGateway } from './gateway/running-gateway.ts'

/** Options of `tooldex stdio`. */
export interface StdioCommandOptions extends CommonOptions {
  readonly endpoint?: string
}

/**
 * `tooldex stdio`: serves one client on the standard streams, through the gateway that runs on the same data folder if there is
 * one, so that servers are not started twice. The client has the rights of the owner, or those of the token
 * in `TOOLDEX_TOKEN`, which is checked with every request.
 */
export async function stdio(options: StdioCommandOptions, context: CommandContext): Promise<number> {
  const { environment } = context
  const path = await findConfigFile(options.config, environment)
  const load = (file: string | undefined) => loadConfig(file, environment, overridesOf(options))
  const initial = await load(path)
  const endpointId = options.endpoint ?? DEFAULT_ENDPOINT
  const find = joinable(initial, endpointId, context)
  const gateway = await find()
  if (gateway !== undefined) {
    const { bridgeStdio } = await import('../clients/sdk/stdio-bridge.ts')
    const bridge = bridgeStdio({ ...context.streams, gateway, find })
    await Promise.race([bridge.closed, context.signals.stop().then(() => bridge.close())])
    return EXIT.ok
  }
  const log = openCommandLogger(initial.config.logLevel, context)
  const store = await openConfiguredStore(initial.config, context, log.logger)
  try {
    await serveClient({ initial, load, store, log, endpointId }, context)
  } finally {
    await store.close()
  }
  return EXIT.ok
}

/** Finds the gateway that runs with the same data folder, database and configuration file. */
function joinable(
  { config }: LoadedConfig,
  endpointId: string,
  { environment, fetch, version }: CommandContext,
): () => Promise<JoinedGateway | undefined> {
  const secret = environment.variables['TOOLDEX_TOKEN']
  return async () => {
    const running = await findRunningGateway(dataPaths(config.dataDir).runRecord, fetch, version)
    if (running === undefined || !running.uses(config.database) || !running.hasConfig(config.path)) return undefined
    return running.endpoint(endpointId, secret === '' ? undefined : secret)
  }
}

interface Parts {
  readonly initial: LoadedConfig
  readonly load: (file: string) => Promise<LoadedConfig>
  readonly store: Store
  readonly log: ReturnType<typeof openCommandLogger>
  readonly endpointId: string
}

async function serveClient({ initial, load, store, log, endpointId }: Parts, context: CommandContext): Promise<void> {
  const models = new StoreModelSource({ initial, load, store, logger: log.logger })
  checkEndpoint(models.current(), endpointId)
  const secret = context.environment.variables['TOOLDEX_TOKEN']
  const now = forwardClock(context.now)
  const principal = () =>
    secret === undefined || secret === '' ? LOCAL_PRINCIPAL : authenticateSecret(secret, models.current(), now())
  // A wrong token is reported before the servers start.
  principal()
  const { config } = initial
  const parts = { config, store, models, declared: () => models.declared(), log, isServing: true }
  const { gateway, close } = await openGateway(parts, context)
  const watching = models.watch()
  try {
    await Promise.race([gateway.serveStdio(principal, context.streams, endpointId), context.signals.stop()])
  } finally {
    await watching
    await models.stop()
    await close()
  }
}
