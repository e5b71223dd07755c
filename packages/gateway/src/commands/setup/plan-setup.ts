import { isRecord } from '@tooldex/http-kit/json'
import { GatewayError } from '../../errors.ts'
import { type PlannedChange, planChange } from '../../setup/change-files.ts'
import type { ClientFile } from '../../setup/client-files.ts'
import { CLIENT_SPECS, specOf } from '../../setup/client-specs.ts'
import { type Edit, type Step, valueAt } from '../../setup/edit-text.ts'
import {
  entryPath,
  gatewayEdit,
  type GatewayTarget,
  hasTokenVariable,
  switchOffEdit,
} from '../../setup/gateway-entry.ts'
import type { ImportedServer, Origin } from '../../setup/import-plan.ts'
import { parseFile } from '../../setup/parse-file.ts'

/** What would be done with one client. */
export interface ClientPlan {
  readonly client: string
  readonly title: string
  readonly file: ClientFile
  readonly action: 'write' | 'update' | 'connected' | 'refused'
  /** The changes of its files, ours first; the token is a placeholder. */
  readonly changes: readonly PlannedChange[]
  readonly reason?: string
  /** Servers that are switched off in the client because the gateway has them now. */
  readonly switchedOff: readonly string[]
}

/** The choices of the user. */
export interface PlanOptions {
  readonly target: Omit<GatewayTarget, 'token'>
  /** Writes a variable in the place of the token. */
  readonly tokenVariable: boolean
  /** The servers that the clients need not start any more. */
  readonly takenOver: readonly ImportedServer[]
}

/** Stands for the token in a preview. */
const TOKEN_PLACEHOLDER = 'tdx_…'

/** Works out the changes of a client's files. Nothing is written. */
export function planClient(file: ClientFile, options: PlanOptions, token: string = TOKEN_PLACEHOLDER): ClientPlan {
  const { client } = file
  const base = { client, title: titleOf(client), file }
  try {
    const main = mainChange(file, options, token)
    const own = options.takenOver.flatMap(({ origins }) => origins.filter((origin) => origin.client === client))
    const others = otherFiles(own, file).map((path) => planChange({ ...file, path }, offEdits(own, path, file)))
    const switchedOff = own.map(({ name }) => name)
    const changes = [...(main.change === undefined ? [] : [main.change]), ...others]
    return { ...base, action: main.action, changes, switchedOff }
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    const reason = String(error.details['reason'] ?? error.message)
    return { ...base, action: 'refused', changes: [], switchedOff: [], reason }
  }
}

function mainChange(
  file: ClientFile,
  { target, tokenVariable, takenOver }: PlanOptions,
  token: string,
): { readonly action: ClientPlan['action']; readonly change?: PlannedChange } {
  const { client, path } = file
  const usesVariable = tokenVariable && hasTokenVariable(client)
  const entry = gatewayEdit(client, { ...target, token: usesVariable ? undefined : token })
  const own = takenOver.flatMap(({ origins }) => origins.filter((origin) => origin.client === client))
  const off = offEdits(own, path, file)
  const current = currentEntry(file)
  if (current !== undefined && isSameTarget(current, entry.value)) {
    if (off.length === 0) return { action: 'connected' }
    return { action: 'connected', change: planChange(file, off) }
  }
  return { action: current === undefined ? 'write' : 'update', change: planChange(file, [entry, ...off]) }
}

/** Our entry in the file as it is now. */
function currentEntry(file: ClientFile): unknown {
  const text = planChange(file, []).before?.toString('utf8') ?? ''
  return valueAt(parseFile(text, file.format, file.path), entryPath(file.client))
}

/** Whether an entry leads to this gateway, whatever its token is. */
function isSameTarget(current: unknown, wanted: unknown): boolean {
  if (!isRecord(current) || !isRecord(wanted)) return false
  const keys = ['url', 'httpUrl', 'serverUrl', 'uri', 'command', 'args']
  return keys.every((key) => JSON.stringify(current[key]) === JSON.stringify(wanted[key]))
}

function otherFiles(origins: readonly Origin[], file: ClientFile): readonly string[] {
  return [...new Set(origins.map(({ path }) => path))].filter((path) => path !== file.path)
}

function offEdits(origins: readonly Origin[], path: string, { client, format }: ClientFile): readonly Edit[] {
  const here = origins.filter((origin) => origin.path === path)
  if (here.length === 0) return []
  const text = planChange({ client, path, format }, []).before?.toString('utf8') ?? ''
  const value = parseFile(text, format, path)
  return here.map((origin) => {
    const at = serverPath(origin, value)
    return switchOffEdit(client, at, at[1] === 'servers' ? 'mcp.servers' : undefined)
  })
}

/** The path of a server in its file. */
function serverPath({ client, name, project }: Origin, value: unknown): readonly Step[] {
  if (project !== undefined) return ['projects', project, 'mcpServers', name]
  const at = specOf(client)?.at ?? ['mcpServers']
  if (client === 'continue') return [...at, { named: name }]
  if (client === 'opencode' && valueAt(value, ['mcp', 'servers', name]) !== undefined) return ['mcp', 'servers', name]
  return [...at, name]
}

/** The name of a client for people. */
export function titleOf(client: string): string {
  return client === 'vscode-insiders' ? 'VS Code Insiders' : (specOf(client)?.title ?? client)
}

/** Checks the names of clients. @throws GatewayError INVALID_ARGUMENTS */
export function checkClients(names: readonly string[]): void {
  const known = [...CLIENT_SPECS.map(({ id }) => id).filter((id) => id !== 'other'), 'vscode-insiders']
  const unknown = names.find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw new GatewayError('INVALID_ARGUMENTS', {
    reason: `there is no client ${JSON.stringify(unknown)}`,
    remedy: `Known clients: ${known.join(', ')}`,
  })
}
