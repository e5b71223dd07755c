import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Environment } from '../../config/environment.ts'
import { readSmallFile } from '../../config/resolve-servers.ts'
import type { ReferenceSources } from '../../config/substitute.ts'
import { GatewayError } from '../../errors.ts'
import { type ClientFile, clientFiles } from '../client-files.ts'
import type { SourceFile } from '../import-plan.ts'
import { MOST_CHARACTERS } from '../parse-file.ts'
import { readServers } from '../read-servers.ts'

/** The files of the clients on this machine. */
export interface FoundClients {
  /** Clients that are installed, with the file that the gateway writes itself into. */
  readonly installed: readonly ClientFile[]
  readonly files: readonly SourceFile[]
  /** Files that cannot be read, with the reason. */
  readonly broken: readonly { readonly file: ClientFile; readonly reason: string }[]
}

/** The values of references in the files of this user. */
export function sourcesOf({ variables, home }: Environment): ReferenceSources {
  return { variables, home, readFile: readSmallFile }
}

/** Finds and reads the files of all clients, in the home folder and in the project of the working directory. */
export function findClients(environment: Environment): FoundClients {
  const known = clientFiles(environment)
  const seen = new Set<string>()
  const files: SourceFile[] = []
  const broken: { file: ClientFile; reason: string }[] = []
  for (const file of known) {
    if (!existsSync(file.path)) continue
    // Several clients read the same file, and links lead to one: it is read once.
    const target = realpathSync(file.path)
    if (seen.has(target)) continue
    seen.add(target)
    try {
      files.push(readClientFile(file, environment))
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      broken.push({ file, reason: String(error.details['reason'] ?? error.message) })
    }
  }
  return { installed: installedClients(environment), files, broken }
}

/** The clients that are installed, each with the file that the gateway writes itself into. */
export function installedClients(environment: Environment): readonly ClientFile[] {
  return clientFiles(environment).filter((file) => file.isMain && file.scope === 'user' && isInstalled(file))
}

const isInstalled = ({ path, marker }: ClientFile): boolean => existsSync(path) || existsSync(marker)

/** Reads one file by the rules of its client. @throws GatewayError CONFIG_INVALID */
export function readClientFile(file: ClientFile, environment: Environment): SourceFile {
  const { client, path, project, scope, format } = file
  const folder = dirname(path)
  const read = readServers({
    text: readText(path),
    client,
    scope,
    name: path,
    format,
    surroundings: { home: environment.home, folder, ...(project !== undefined && { workspaceFolder: project }) },
    sources: sourcesOf(environment),
    beside: (name) => readSmallFile(join(folder, name)),
  })
  return { client, path, ...(project !== undefined && { project }), read }
}

function readText(path: string): string {
  try {
    const { size } = statSync(path)
    if (size > MOST_CHARACTERS) throw new GatewayError('CONFIG_INVALID', { reason: `${path} is too large` })
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof GatewayError) throw error
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown reason'
    throw new GatewayError('CONFIG_INVALID', { reason: `${path} cannot be read (${code})` }, { cause: error })
  }
}
