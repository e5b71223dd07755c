import {
  type ConfigOverrides,
  findConfigFile,
  loadConfig,
  type LoadedConfig,
  modelOf,
} from '../../config/load-config.ts'
import { GatewayError } from '../../errors.ts'
import type { GatewayModel } from '../../model/gateway-model.ts'
import type { Store } from '../../model/store.ts'
import type { CommandContext } from './context.ts'
import type { CommonOptions } from '../terminal/command-options.ts'

/** The options that override the configuration file. */
export function overridesOf({ data, database }: CommonOptions): ConfigOverrides {
  return {
    ...(data !== undefined && { dataDir: data }),
    ...(database !== undefined && { database }),
  }
}

/** Loads the configuration file of a command, without the store. */
export async function loadConfigFile(options: CommonOptions, { environment }: CommandContext): Promise<LoadedConfig> {
  const path = await findConfigFile(options.config, environment)
  return loadConfig(path, environment, overridesOf(options))
}

/** Uses the model of file and store. Does not create a missing database. */
export async function withModel<Result>(
  loaded: LoadedConfig,
  context: CommandContext,
  use: (model: GatewayModel, store: Store | undefined) => Result | Promise<Result>,
): Promise<Result> {
  const { hasStore, openConfiguredStore } = await import('./open-store.ts')
  if (!hasStore(loaded.config)) return use(modelOf(loaded).model, undefined)
  const store = await openConfiguredStore(loaded.config, context)
  try {
    return await use(modelOf(loaded, store.current()).model, store)
  } finally {
    await store.close()
  }
}

/** @throws GatewayError ENDPOINT_NOT_FOUND with the existing endpoints */
export function checkEndpoint({ endpoints }: Pick<GatewayModel, 'endpoints'>, endpoint: string): void {
  if (endpoints.has(endpoint)) return
  throw new GatewayError('ENDPOINT_NOT_FOUND', {
    endpoint,
    remedy: `Existing endpoints: ${[...endpoints.keys()].join(', ')}`,
  })
}
