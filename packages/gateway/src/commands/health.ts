import { dataPaths } from '../config/data-paths.ts'
import { GatewayError } from '../errors.ts'
import type { CommandContext } from './gateway/context.ts'
import { loadConfigFile } from './gateway/load-config-file.ts'
import { findRunningGateway } from './gateway/running-gateway.ts'
import type { CommonOptions } from './terminal/command-options.ts'
import { EXIT } from './terminal/exit-codes.ts'

const ANSWER_MS = 3_000

/** Options of `tooldex health`. */
export interface HealthOptions extends CommonOptions {
  readonly ready?: boolean
}

/** `tooldex health`: whether the gateway of the data folder answers; for containers, which have no other program to ask it. */
export async function health(options: HealthOptions, context: CommandContext): Promise<number> {
  const { config } = await loadConfigFile(options, context)
  const running = await findRunningGateway(dataPaths(config.dataDir).runRecord, context.fetch, context.version)
  if (running === undefined) throw new GatewayError('NOT_RUNNING', { remedy: 'Start it with `tooldex serve`' })
  const path = options.ready === true ? '/readyz' : '/healthz'
  const response = await context.fetch(`${running.url}${path}`, { signal: AbortSignal.timeout(ANSWER_MS) })
  const { status } = (await response.json()) as { status: string }
  context.terminal.out(options.json === true ? `${JSON.stringify({ url: running.url, status })}\n` : `${status}\n`)
  return response.ok ? EXIT.ok : EXIT.unavailable
}
