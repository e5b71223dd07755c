import { dataPaths } from '../../config/data-paths.ts'
import type { LoadedConfig } from '../../config/load-config.ts'
import type { CommandContext } from '../gateway/context.ts'
import type { CommonOptions } from '../terminal/command-options.ts'
import { loadConfigFile } from '../gateway/load-config-file.ts'
import { findRunningGateway } from '../gateway/running-gateway.ts'
import type { Admin } from './admin.ts'
import { AdminClient } from './admin-client.ts'

/**
 * Opens the admin API for one task: of the running gateway, else in this process, on the store. Both use the same handler,
 * so a command behaves the same either way.
 */
export async function withAdmin(
  options: CommonOptions,
  context: CommandContext,
  work: (admin: Admin) => Promise<number>,
): Promise<number> {
  const loaded = await loadConfigFile(options, context)
  const running = await findRunningGateway(dataPaths(loaded.config.dataDir).runRecord, context.fetch, context.version)
  // The running gateway of this folder may use another database than the given one.
  if (running?.uses(loaded.config.database) !== true) return withLocalAdmin(loaded, options, context, work)
  const client = new AdminClient((request, signal) => running.send(request, signal), true)
  return work({ client, context, options })
}

async function withLocalAdmin(
  loaded: LoadedConfig,
  options: CommonOptions,
  context: CommandContext,
  work: (admin: Admin) => Promise<number>,
): Promise<number> {
  const { openLocalAdmin } = await import('./local-admin.ts')
  const { send, close } = await openLocalAdmin(loaded, context)
  try {
    return await work({ client: new AdminClient(send, false), context, options })
  } finally {
    await close()
  }
}
