import type { AdminServer, RouteAnswer, ServerPatch } from '@tooldex/contract/admin'
import { GatewayError } from '../../errors.ts'
import { facts, moment, table } from '../table.ts'
import { type Admin, answer, listed } from './admin.ts'
import { pairs } from './pairs.ts'
import { answerRemoval } from './removal.ts'

/** What `server add` and `server set` take beside the id and the command. */
export interface ServerOptions {
  readonly url?: string
  readonly env?: readonly string[]
  readonly header?: readonly string[]
  readonly cwd?: string
  readonly name?: string
  readonly type?: 'http' | 'sse'
  readonly start?: 'eager' | 'on-demand'
  readonly limit?: readonly string[]
  readonly unset?: readonly string[]
}

/** `tooldex server list` */
export async function listServers(admin: Admin): Promise<number> {
  const { items } = await admin.client.ask('listServers')
  const rows = items.map((server) => [
    server.id,
    stateOf(server),
    String(server.counts.tools),
    listed(server.projects),
    server.managedBy,
    server.status?.loginUrl ?? server.status?.lastError?.message ?? '',
  ])
  const head = ['server', 'state', 'tools', 'projects', 'managed by', '']
  const none = ['  there are no servers yet; add one: tooldex server add <id> -- <command…>']
  return answer(admin, { servers: items }, items.length === 0 ? none : table(head, rows, admin.context.terminal))
}

/** `tooldex server show` */
export async function showServer(admin: Admin, id: string): Promise<number> {
  return answerServer(admin, await admin.client.ask('getServer', { params: { server: id } }))
}

/** `tooldex server add` */
export async function addServer(
  admin: Admin,
  id: string,
  command: readonly string[],
  options: ServerOptions,
): Promise<number> {
  if (command.length === 0 && options.url === undefined) {
    throw new GatewayError('INVALID_ARGUMENTS', {
      reason: 'a server needs a command or an address',
      remedy: `tooldex server add ${id} -- <command…>, or tooldex server add ${id} --url <url>`,
    })
  }
  const server = await admin.client.ask('createServer', { body: { id, ...settingsOf(command, options) } })
  return answer(admin, server, [`  added the server ${server.id}`, ...nextStep(admin, server)])
}

/** `tooldex server set` */
export async function setServer(
  admin: Admin,
  id: string,
  command: readonly string[],
  options: ServerOptions,
): Promise<number> {
  const unset = options.unset === undefined ? {} : { unset: [...options.unset] }
  const body = { ...settingsOf(command, options), ...unset } as ServerPatch
  // Only what is named changes: the other variables and headers stay, behind their masks.
  const { config } = await admin.client.ask('getServer', { params: { server: id } })
  if (body.env !== undefined) body.env = { ...config.env, ...body.env }
  if (body.headers !== undefined) body.headers = { ...config.headers, ...body.headers }
  const server = await admin.client.ask('changeServer', { params: { server: id }, body })
  return answer(admin, server, [`  changed the server ${server.id}`])
}

/** `tooldex server enable`, `disable` and `restart` */
export async function switchServer(admin: Admin, id: string, to: 'enable' | 'disable' | 'restart'): Promise<number> {
  const server = await admin.client.ask(`${to}Server`, { params: { server: id } })
  return answer(admin, server, [`  ${to === 'restart' ? 'restarted' : `${to}d`} the server ${id}: ${stateOf(server)}`])
}

/** `tooldex server remove` */
export async function removeServer(admin: Admin, id: string): Promise<number> {
  return answerRemoval(admin, 'server', await admin.client.ask('removeServer', { params: { server: id } }))
}

/** `tooldex server tool`: for everybody; `tooldex project tool` is for one project. */
export async function setServerTool(admin: Admin, tool: string, allowed: boolean): Promise<number> {
  const changed = await admin.client.ask('changeTool', { params: { tool }, body: { allowed } })
  return answer(admin, changed, [`  ${tool} is ${allowed ? 'allowed' : 'forbidden'} for everybody`])
}

/** `tooldex server login` */
export async function loginServer(admin: Admin, id: string): Promise<number> {
  const login = await admin.client.ask('loginServer', { params: { server: id } })
  return answer(admin, login, [`  open this page and log in: ${login.loginUrl}`])
}

/** `tooldex server logout` */
export async function logoutServer(admin: Admin, id: string): Promise<number> {
  await admin.client.ask('logoutServer', { params: { server: id } })
  return answer(admin, { loggedOut: id }, [`  the login at ${id} is forgotten`])
}

function settingsOf(command: readonly string[], options: ServerOptions) {
  const [program, ...args] = command
  const env = pairs(options.env, '=', '--env')
  const headers = pairs(options.header, ':', '--header')
  const limits = limitsOf(options.limit)
  return {
    ...(program !== undefined && { command: program, args }),
    ...(options.url !== undefined && { url: options.url }),
    ...(env !== undefined && { env }),
    ...(headers !== undefined && { headers }),
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    ...(options.name !== undefined && { name: options.name }),
    ...(options.type !== undefined && { type: options.type }),
    ...(options.start !== undefined && { start: options.start }),
    ...(limits !== undefined && { limits }),
  }
}

function limitsOf(texts: readonly string[] | undefined): Record<string, number> | undefined {
  const limits = pairs(texts, '=', '--limit')
  return limits && Object.fromEntries(Object.entries(limits).map(([name, text]) => [name, Number(text)]))
}

function nextStep({ client }: Admin, { id, status }: AdminServer): string[] {
  if (!client.isLive) return ['  no gateway runs now; it starts with the next `tooldex serve`']
  const state = status?.state ?? 'starting'
  return [`  it is ${state}; look again: tooldex server show ${id}`]
}

function answerServer(admin: Admin, server: RouteAnswer<'getServer'>): number {
  const { config, status, counts } = server
  const runs = config.command === undefined ? undefined : [config.command, ...(config.args ?? [])].join(' ')
  const named = (record: Readonly<Record<string, string>> | undefined): string | undefined =>
    record === undefined ? undefined : listed(Object.keys(record))
  const lines = facts(
    [
      ['server', server.id],
      ['name', server.name === server.id ? undefined : server.name],
      ['state', stateOf(server)],
      ['since', status === undefined ? undefined : moment(status.since)],
      ['last error', status?.lastError?.message],
      ['log in at', status?.loginUrl],
      ['runs', runs],
      ['connects to', config.url],
      ['environment', named(config.env)],
      ['headers', named(config.headers)],
      ['starts', config.start],
      ['offers', `${counts.tools} tools, ${counts.prompts} prompts, ${counts.resources} resources`],
      ['in projects', listed(server.projects)],
      ['managed by', server.file ?? server.managedBy],
      ...server.remarks.map((remark) => ['remark', remark] as const),
    ],
    admin.context.terminal,
  )
  return answer(admin, server, lines)
}

const stateOf = ({ enabled, status }: AdminServer): string => (enabled ? (status?.state ?? 'not running') : 'disabled')
