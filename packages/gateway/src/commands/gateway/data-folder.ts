import { accessSync, constants, existsSync, mkdirSync, rmdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { GatewayError } from '../../errors.ts'

const REASONS: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'this user may not write there'],
  ['EPERM', 'this user may not write there'],
  ['ENOTDIR', 'a part of the path is a file, not a folder'],
  ['EEXIST', 'it is a file, not a folder'],
  ['ENOENT', 'the system allows no folder there'],
  ['EROFS', 'the file system is read-only'],
  ['ENOSPC', 'the disk is full'],
  ['ENAMETOOLONG', 'the path is too long'],
])

/** Makes the data folder if it is missing. @throws GatewayError STORE_UNAVAILABLE with the reason and the remedy */
export function ensureDataFolder(dataDir: string): void {
  make(dataDir)
}

/** Whether the data folder could be made or used: the reason if not. Leaves nothing behind. */
export function dataFolderProblem(dataDir: string): string | undefined {
  try {
    for (const made of make(dataDir).toReversed()) rmdirSync(made)
    return undefined
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return String(error.details['reason'])
  }
}

/** Returns the folders that it made. One by one: Node's recursive mkdir never ends below `/proc`. */
function make(dataDir: string): string[] {
  const made: string[] = []
  try {
    for (const folder of missingFolders(dataDir)) {
      mkdirSync(folder, { mode: 0o700 })
      made.push(folder)
    }
    if (!statSync(dataDir).isDirectory()) throw Object.assign(new Error('a file'), { code: 'EEXIST' })
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
    return made
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException
    const reason = REASONS.get(code)
    if (reason === undefined) throw cause
    throw new GatewayError(
      'STORE_UNAVAILABLE',
      {
        reason: `the data folder ${dataDir} cannot be used: ${reason}`,
        remedy: 'Choose another one with --data or dataDir, or correct its permissions',
      },
      { cause },
    )
  }
}

function missingFolders(folder: string): string[] {
  if (existsSync(folder) || dirname(folder) === folder) return []
  return [...missingFolders(dirname(folder)), folder]
}
