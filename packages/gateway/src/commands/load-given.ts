import type { GatewayModel } from '../model/gateway-model.ts'
import type { Store } from '../model/store.ts'
import { type ConfigOverrides, findConfigFile, type LoadedConfig, loadConfig, modelOf } from '../config/load-config.ts'
import type { CommandContext, CommonOptions } from './context.ts'

/** What the command line says over the file. */
export function overridesOf({ data, database }: CommonOptions): ConfigOverrides {
  return {
    ...(data !== undefined && { dataDir: data }),
    ...(database !== undefined && { database }),
  }
}

/** The configuration that the command line names. What is stored is not looked at. */
export async function loadGiven(options: CommonOptions, { environment }: CommandContext): Promise<LoadedConfig> {
  const path = await findConfigFile(options.config, environment)
  return loadConfig(path, environment, overridesOf(options))
}

/** Uses the model of what is declared and stored. A database that does not exist is not made for it. */
export async function withModel<Result>(
  loaded: LoadedConfig,
  context: CommandContext,
  use: (model: GatewayModel, store: Store | undefined) => Result | Promise<Result>,
): Promise<Result> {
  const { hasStore, openGivenStore } = await import('./open-store.ts')
  if (!hasStore(loaded.config)) return use(modelOf(loaded).model, undefined)
  const store = await openGivenStore(loaded.config, context)
  try {
    return await use(modelOf(loaded, store.current()).model, store)
  } finally {
    await store.close()
  }
}
