import { authenticateSecret } from '../access/tokens.ts'
import { LOCAL_PRINCIPAL } from '../config/local-access.ts'
import { FileModelSource } from '../config/model-source.ts'
import { findConfigFile, loadConfig } from '../config/load-config.ts'
import type { CommandContext, CommonOptions } from './context.ts'
import { EXIT } from './exit-codes.ts'
import { openCommandLogger, openGateway } from './open-gateway.ts'

/**
 * `tooldex stdio`: serves one client on the standard streams. Who starts the program is trusted as its owner, unless
 * `TOOLDEX_TOKEN` says to be somebody else.
 */
export async function stdio(options: CommonOptions, context: CommandContext): Promise<number> {
  const { environment } = context
  const path = await findConfigFile(options.config, environment)
  const overrides = options.data === undefined ? {} : { dataDir: options.data }
  const load = () => loadConfig(path, environment, overrides)
  const initial = await load()
  const log = openCommandLogger(initial.config.logLevel, context)
  const models = new FileModelSource({ path, initial, load, logger: log.logger })
  const secret = environment.variables['TOOLDEX_TOKEN']
  const principal =
    secret === undefined || secret === ''
      ? LOCAL_PRINCIPAL
      : authenticateSecret(secret, models.current(), context.now())
  const { gateway, close } = await openGateway(initial.config, models, log, context)
  const watching = models.watch()
  try {
    await Promise.race([gateway.serveStdio(principal, context.streams), context.signals.stop()])
  } finally {
    await watching
    await models.stop()
    await close()
  }
  return EXIT.ok
}
