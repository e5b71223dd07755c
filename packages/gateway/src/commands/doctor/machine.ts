import { access, constants, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { delimiter, isAbsolute, join, resolve } from 'node:path'
import type { Environment } from '../../config/environment.ts'
import type { ListenConfig } from '../../config/gateway-config.ts'
import type { ServerDefinition } from '../../model/server.ts'
import { dataFolderProblem } from '../gateway/data-folder.ts'
import type { RunningGateway } from '../gateway/running-gateway.ts'
import { type Finding, fine, wrong } from './finding.ts'

/** Files that contain secrets. */
const PRIVATE = ['secret.key', 'tooldex.db', 'gateway.json']
const FOR_OTHERS = 0o077

/** Checks that the data folder is writable and that other users cannot read it. */
export async function checkFolder(dataDir: string): Promise<readonly Finding[]> {
  const about = 'data'
  const folder = await stat(dataDir).catch(() => undefined)
  const problem = dataFolderProblem(dataDir)
  if (problem !== undefined) {
    return [wrong(about, problem, 'Choose another one with --data or dataDir, or correct its permissions')]
  }
  if (folder === undefined) return [fine(about, `${dataDir} will be created at the first start`)]
  const open = await openToOthers(dataDir)
  if (open.length === 0) return [fine(about, `${dataDir} is writable and private`)]
  return open.map((path) => wrong(about, `${path} is readable by other users`, `chmod go= ${path}`))
}

async function openToOthers(dataDir: string): Promise<string[]> {
  if (process.platform === 'win32') return []
  // Files in a folder that other users cannot enter are private, too.
  const { mode } = await stat(dataDir)
  if ((mode & 0o007) === 0 && (mode & 0o070) === 0) return []
  const files = PRIVATE.map((name) => join(dataDir, name))
  const modes = await Promise.all(
    files.map((path) =>
      stat(path).then(
        (found) => found.mode,
        () => 0,
      ),
    ),
  )
  return files.filter((_, index) => ((modes[index] ?? 0) & FOR_OTHERS) !== 0)
}

/** Checks that the gateway listens, or could. */
export async function checkPort({ host, port }: ListenConfig, running: RunningGateway | undefined): Promise<Finding> {
  if (running !== undefined) return fine('gateway', `running at ${running.url}`)
  const code = await tryToListen(host, port)
  if (code === undefined) return fine('gateway', `not running; ${host}:${port} is free`)
  if (code === 'EADDRINUSE') {
    return wrong(
      'gateway',
      `not running, and another program uses port ${port}`,
      'Choose another with --port or listen.port',
    )
  }
  return wrong('gateway', `cannot listen on ${host}:${port} (${code})`, 'Correct listen.host and listen.port')
}

function tryToListen(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    probe.listen(port, host, () => probe.close(() => resolve(undefined)))
  })
}

/** Whether the programs that servers are can be found. Nothing is started. */
export async function checkCommands(
  servers: readonly ServerDefinition[],
  environment: Environment,
): Promise<readonly Finding[]> {
  const enabled = servers.filter(({ enabled: isEnabled }) => isEnabled)
  const missing: Finding[] = []
  for (const { id, transport } of enabled) {
    if (transport.kind !== 'stdio') continue
    const path = transport.env['PATH'] ?? environment.variables['PATH'] ?? ''
    if (await isFound(transport.command, path, transport.cwd ?? environment.cwd)) continue
    const remedy = `Install it, or use its full path: tooldex server set ${id} -- …`
    missing.push(wrong(`server ${id}`, `the program ${transport.command} was not found`, remedy))
  }
  const found = enabled.length - missing.length
  return [...(found > 0 ? [fine('servers', `${found} can be started or connected to`)] : []), ...missing]
}

async function isFound(command: string, path: string, cwd: string): Promise<boolean> {
  const candidates = /[\\/]/.test(command)
    ? [isAbsolute(command) ? command : resolve(cwd, command)]
    : path.split(delimiter).flatMap((folder) => ['', '.cmd', '.exe'].map((end) => join(folder, command + end)))
  for (const each of candidates) {
    const isThere = await access(each, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (isThere) return true
  }
  return false
}
