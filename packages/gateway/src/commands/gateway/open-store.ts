import { existsSync } from 'node:fs'
import type { Store } from '../../model/store.ts'
import { dataPaths } from '../../config/data-paths.ts'
import type { GatewayConfig } from '../../config/gateway-config.ts'
import { type Logger, openLogger } from '../../telemetry/logger.ts'
import type { CommandContext } from './context.ts'
import { ensureDataFolder } from './data-folder.ts'

/** Whether the store exists already. */
export function hasStore({ database, dataDir }: GatewayConfig): boolean {
  return database !== undefined || existsSync(dataPaths(dataDir).database)
}

/**
 * Opens the store of a configuration.
 * @throws GatewayError STORE_UNAVAILABLE, STORE_CORRUPT, STORE_TOO_NEW, SECRET_KEY_WRONG
 */
export async function openConfiguredStore(
  { database, dataDir }: GatewayConfig,
  { environment, terminal }: Pick<CommandContext, 'environment' | 'terminal'>,
  logger: Logger = openLogger({ level: 'error', pretty: terminal.interactive }).logger,
  { mayStartBehind = false } = {},
): Promise<Store> {
  ensureDataFolder(dataDir)
  const { openStore } = await import('../../store/open-store.ts')
  const secretKey = environment.variables['TOOLDEX_SECRET_KEY']
  return openStore({
    dataDir,
    logger,
    mayStartBehind,
    ...(database !== undefined && { databaseUrl: database }),
    ...(secretKey !== undefined && secretKey !== '' && { secretKey }),
  })
}
