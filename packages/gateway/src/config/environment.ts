import { readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { GatewayError } from '../errors.ts'

type Variables = Readonly<Record<string, string | undefined>>

/** The environment of the process. Only this file reads it. */
export interface Environment {
  readonly variables: Variables
  readonly cwd: string
  readonly home: string
  /** The operating system (default: linux). */
  readonly platform?: NodeJS.Platform
}

/** The machine that the gateway runs on. */
export interface Machine {
  readonly environment: Environment
  /** Whether the gateway listens on loopback alone and has no public URL. Else no file of a client is read or written. */
  readonly isPrivate: boolean
  /** The folder with the journal of changed files. */
  readonly dataDir: string
  /** The command line that serves one client over stdio through this gateway. */
  readonly program: readonly string[]
}

/** Takes a snapshot of the environment. @throws GatewayError CONFIG_INVALID for a file of a variable that cannot be read */
export function readEnvironment(): Environment {
  const variables = Object.freeze(withFiles({ ...process.env }))
  return Object.freeze({ variables, cwd: process.cwd(), home: homedir(), platform: process.platform })
}

/** A setting whose own name ends like that of a variable that names a file. */
const NO_FILE = 'TOOLDEX_AUDIT_FILE'
const FILE_VARIABLE = /^(TOOLDEX_[A-Z_]+)_FILE$/
/** Larger files are not values but mistakes. */
const MOST_BYTES = 1024 * 1024

/** Replaces variables that name a file, such as `TOOLDEX_SECRET_KEY_FILE`, by the content. @throws GatewayError CONFIG_INVALID */
export function withFiles(variables: Variables): Variables {
  const all: Record<string, string | undefined> = { ...variables }
  for (const [variable, path = ''] of Object.entries(variables)) {
    const name = variable === NO_FILE ? undefined : FILE_VARIABLE.exec(variable)?.[1]
    if (name === undefined || path.trim() === '') continue
    if ((variables[name] ?? '').trim() !== '') {
      throw invalid(`${name} and ${variable} are both set`, 'Remove one of them')
    }
    all[name] = contentOf(variable, path)
    delete all[variable]
  }
  return all
}

function contentOf(variable: string, path: string): string {
  try {
    if (statSync(path).size > MOST_BYTES) throw Object.assign(new Error('too large'), { code: 'EFBIG' })
    return readFileSync(path, 'utf8').trim()
  } catch (cause) {
    const { code = 'unknown reason' } = cause as NodeJS.ErrnoException
    throw invalid(`the file ${path} of ${variable} cannot be read (${code})`, 'Correct the path or its permissions')
  }
}

function invalid(reason: string, remedy: string): GatewayError {
  return new GatewayError('CONFIG_INVALID', { reason, remedy })
}
