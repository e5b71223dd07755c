import { createHash } from 'node:crypto'
import { isRecord } from '@tooldex/http-kit/json'
import { GatewayError } from '../../errors.ts'
import { isUnchanged, type PlannedChange, planChange, writeChange } from '../change-files.ts'
import type { ClientFile } from '../client-files.ts'
import { CLIENT_SPECS, specOf } from '../client-specs.ts'
import { type Edit, type Step, valueAt } from '../edit-text.ts'
import { entryPath, gatewayEdit, type GatewayTarget, hasTokenVariable, switchOffEdit } from '../gateway-entry.ts'
import type { ImportedServer, Origin } from '../import-plan.ts'
import { parseFile } from '../parse-file.ts'
import type { JournalEntry, SetupJournal } from './journal.ts'

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
  /** Writes the token into an entry that leads to this gateway already. */
  readonly renewsToken?: boolean
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
  { target, tokenVariable, takenOver, renewsToken = false }: PlanOptions,
  token: string,
): { readonly action: ClientPlan['action']; readonly change?: PlannedChange } {
  const { client, path } = file
  const usesVariable = tokenVariable && hasTokenVariable(client)
  const entry = gatewayEdit(client, { ...target, token: usesVariable ? undefined : token })
  const own = takenOver.flatMap(({ origins }) => origins.filter((origin) => origin.client === client))
  const off = offEdits(own, path, file)
  const current = currentEntry(file)
  if (current !== undefined && isSameTarget(current, entry.value) && !renewsToken) {
    if (off.length === 0) return { action: 'connected' }
    return { action: 'connected', change: planChange(file, off) }
  }
  return { action: current === undefined ? 'write' : 'update', change: planChange(file, [entry, ...off]) }
}

/** How a planned change is written. */
interface WriteOptions {
  readonly journal: SetupJournal
  readonly now: number
  /** The secret to write, and the id of its token if that was made for this client. */
  readonly token: string | undefined
  readonly tokenId?: string | undefined
}

/**
 * Writes what was planned into the files of a client, each with a backup and an entry in the journal. A file that has changed
 * since it was planned is refused.
 * @throws GatewayError CONFIG_INVALID
 */
export function writeClient(
  plan: ClientPlan,
  options: PlanOptions,
  { journal, now, token, tokenId }: WriteOptions,
): readonly JournalEntry[] {
  // Planned again with the token, on the content of the first plan.
  const final = planClient(plan.file, options, token)
  if (final.action === 'refused') throw new GatewayError('CONFIG_INVALID', { reason: final.reason ?? '' })
  return final.changes.map((change, index) => {
    const planned = { ...change, before: plan.changes[index]?.before }
    let recorded: JournalEntry | undefined
    try {
      const written = writeChange(planned, {
        folder: journal.backups,
        now,
        record: (entry) => {
          recorded = { at: now, change: entry, ...(tokenId !== undefined && { tokenId }) }
          journal.add(recorded)
        },
      })
      return recorded ?? { at: now, change: written }
    } catch (error) {
      if (recorded !== undefined && isUnchanged(planned)) journal.remove(recorded)
      throw error
    }
  })
}

/** Identifies a plan by the files that it changes, their content and what they become. */
export function planRevision({ changes }: ClientPlan): string {
  const hash = createHash('sha256')
  for (const { path, before, after } of changes) {
    hash.update(JSON.stringify([path, before?.toString('base64') ?? null, after.toString('base64')]))
  }
  return hash.digest('base64url').slice(0, 22)
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

/** A name for the token of a client that no token has. */
export function freeTokenName(title: string, isTaken: (name: string) => boolean): string {
  let name = title
  for (let number = 2; isTaken(name); number++) name = `${title} ${number}`
  return name
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
