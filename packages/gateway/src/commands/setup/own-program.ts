import { accessSync, constants } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import type { CommandContext } from '../gateway/context.ts'
import type { CommonOptions } from '../terminal/command-options.ts'

/**
 * The command line that starts this program as a server of one client: by its name if it is installed, through npx if it
 * came from there, else by its path.
 */
export function stdioCommand(
  { program = ['tooldex'], environment }: CommandContext,
  { config, data, database }: CommonOptions,
): readonly string[] {
  const absolute = (path: string): string => resolve(environment.cwd, path)
  return [
    ...baseCommand(program, environment.variables['PATH'] ?? ''),
    'stdio',
    ...(config === undefined ? [] : ['--config', absolute(config)]),
    ...(data === undefined ? [] : ['--data', absolute(data)]),
    ...(database === undefined ? [] : ['--database', database]),
  ]
}

function baseCommand(program: readonly string[], path: string): readonly string[] {
  if (program.some((word) => /[\\/]_npx[\\/]/.test(word))) return ['npx', '-y', 'tooldex']
  return isOnPath(path) ? ['tooldex'] : program
}

function isOnPath(path: string): boolean {
  // The folder of npm scripts is on the path only while a script runs.
  const folders = path.split(delimiter).filter((folder) => folder !== '' && !folder.includes('node_modules'))
  return folders.some((folder) => {
    try {
      accessSync(join(folder, 'tooldex'), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
