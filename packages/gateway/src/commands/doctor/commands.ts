import { access, constants } from 'node:fs/promises'
import { delimiter, isAbsolute, join, resolve } from 'node:path'
import type { Environment } from '../../config/environment.ts'
import type { ServerDefinition } from '../../model/server.ts'
import { type Finding, fine, wrong } from './finding.ts'

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
