import { dataPaths } from '../../config/data-paths.ts'
import type { LoadedConfig } from '../../config/load-config.ts'
import type { CommandContext, CommonOptions } from '../context.ts'
import { loadGiven } from '../load-given.ts'
import { findRunningGateway } from '../running-gateway.ts'
import type { Admin } from './admin.ts'
import { AdminClient } from './admin-client.ts'

/**
 * Opens the admin API for one piece of work: that of the gateway that runs, else in this process, on the store. Both are the
 * same handler, so that a command does the same either way.
 */
export async function withAdmin(
  options: CommonOptions,
  context: CommandContext,
  work: (admin: Admin) => Promise<number>,
): Promise<number> {
  const loaded = await loadGiven(options, context)
  const running = await findRunningGateway(dataPaths(loaded.config.dataDir).runRecord, context.fetch, context.version)
  if (running === undefined) return withOwnAdmin(loaded, options, context, work)
  const client = new AdminClient((request) => running.send(request), true)
  return work({ client, context, options })
}

async function withOwnAdmin(
  loaded: LoadedConfig,
  options: CommonOptions,
  context: CommandContext,
  work: (admin: Admin) => Promise<number>,
): Promise<number> {
  const { openOwnAdmin } = await import('./open-own-admin.ts')
  const { send, close } = await openOwnAdmin(loaded, context)
  try {
    return await work({ client: new AdminClient(send, false), context, options })
  } finally {
    await close()
  }
}
