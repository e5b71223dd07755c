import { dataPaths } from '../config/data-paths.ts'
import { GatewayError } from '../errors.ts'
import { AdminClient } from './admin/admin-client.ts'
import type { CommandContext } from './gateway/context.ts'
import type { CommonOptions } from './terminal/command-options.ts'
import { EXIT } from './terminal/exit-codes.ts'
import { loadConfigFile } from './gateway/load-config-file.ts'
import { findRunningGateway } from './gateway/running-gateway.ts'

/** `tooldex console`: prints a link that opens the console of the running gateway and signs in once. */
export async function console(options: CommonOptions, context: CommandContext): Promise<number> {
  const { config } = await loadConfigFile(options, context)
  const running = await findRunningGateway(dataPaths(config.dataDir).runRecord, context.fetch, context.version)
  if (running === undefined) {
    throw new GatewayError('NOT_RUNNING', { remedy: 'Start it with `tooldex serve`, which also prints a link' })
  }
  const client = new AdminClient((request) => running.send(request), true)
  const { code, expiresAt } = await client.ask('createSignInCode')
  const url = `${running.url}/#signin=${code}`
  context.terminal.out(options.json === true ? `${JSON.stringify({ url, expiresAt })}\n` : `${url}\n`)
  return EXIT.ok
}
