import { findConfigFile, type LoadedConfig, loadConfig } from '../config/load-config.ts'
import type { CommandContext, CommonOptions } from './context.ts'

/** The configuration that the command line names. */
export async function loadGiven(options: CommonOptions, { environment }: CommandContext): Promise<LoadedConfig> {
  const path = await findConfigFile(options.config, environment)
  return loadConfig(path, environment, options.data === undefined ? {} : { dataDir: options.data })
}
