import { access, constants, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { delimiter, isAbsolute, join, resolve } from 'node:path'
import type { Environment } from '../../config/environment.ts'
import type { ListenConfig } from '../../config/gateway-config.ts'
import type { ServerDefinition } from '../../model/server.ts'
import type { RunningGateway } from '../gateway/running-gateway.ts'
import { type Finding, fine, wrong } from './finding.ts'

/** Files with secrets in them. */
const PRIVATE = ['secret.key', 'tooldex.db', 'gateway.json']
const FOR_OTHERS = 0o077

/** Whether the data folder can be written, and is closed to others. */
export async function lookAtFolder(dataDir: string): Promise<readonly Finding[]> {
  const about = 'data'
  const folder = await stat(dataDir).catch(() => undefined)
  if (folder === undefined) return [fine(about, `${dataDir} is made with the first start`)]
  if (!folder.isDirectory()) return [wrong(about, `${dataDir} is no folder`, 'Name another with --data or dataDir')]
  const isWritable = await access(dataDir, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
  if (!isWritable) {
    return [wrong(about, `${dataDir} cannot be written`, `Give it to whoever starts the gateway: chown … ${dataDir}`)]
  }
  const open = await openToOthers(dataDir)
  if (open.length === 0) return [fine(about, `${dataDir} can be written, and is closed to others`)]
  return open.map((path) => wrong(about, `${path} can be read by others`, `chmod go= ${path}`))
}

async function openToOthers(dataDir: string): Promise<string[]> {
  if (process.platform === 'win32') return []
  // A folder that others cannot enter keeps its files from them, too.
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

/** Whether the gateway listens, or could. */
export async function lookAtPort({ host, port }: ListenConfig, running: RunningGateway | undefined): Promise<Finding> {
  if (running !== undefined) return fine('gateway', `runs at ${running.url}`)
  const code = await tryToListen(host, port)
  if (code === undefined) return fine('gateway', `does not run now; ${host}:${port} is free`)
  if (code === 'EADDRINUSE') {
    return wrong('gateway', `does not run, and another program has port ${port}`, 'Take another: --port or listen.port')
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
export async function lookAtCommands(
  servers: readonly ServerDefinition[],
  environment: Environment,
): Promise<readonly Finding[]> {
  const enabled = servers.filter(({ enabled: isEnabled }) => isEnabled)
  const missing: Finding[] = []
  for (const { id, transport } of enabled) {
    if (transport.kind !== 'stdio') continue
    const path = transport.env['PATH'] ?? environment.variables['PATH'] ?? ''
    if (await isFound(transport.command, path, transport.cwd ?? environment.cwd)) continue
    const remedy = `Install it, or name it with its whole path: tooldex server set ${id} -- …`
    missing.push(wrong(`server ${id}`, `there is no program ${transport.command}`, remedy))
  }
  const found = enabled.length - missing.length
  return [...(found > 0 ? [fine('servers', `${found} could be started or connected to`)] : []), ...missing]
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
