import type { AdminServer, RouteAnswer, ServerPatch } from '@tooldex/contract/admin'
import { type Command, Option } from 'commander'
import { GatewayError } from '../../errors.ts'
import { type CommonOptions, collect, common, examples, pairs, wholeNumber } from '../terminal/command-options.ts'
import { type Registry, type Admin, answer, answerRemoval, follow, listed } from './admin.ts'
import { clean, counted, facts, moment, table } from '../terminal/terminal.ts'

type Given<Options> = CommonOptions & Options

/** Options of `tooldex server import`. */
export interface ServerImportOptions {
  readonly dryRun?: boolean
  readonly client?: string
  readonly input?: readonly string[]
}

/** Runs `tooldex server import`. */
export type ImportFile = (admin: Admin, file: string, options: ServerImportOptions) => Promise<number>

/** Adds `tooldex server …`. */
export function addServerCommands(program: Command, { manage }: Registry, importFile: ImportFile): void {
  const server = program.command('server').description('Manage servers: add, change, restart, inspect')

  common(server.command('list'))
    .description('List servers with state, tools and projects')
    .addHelpText('after', examples('tooldex server list', 'tooldex server list --json'))
    .action((options: CommonOptions) => manage(options, (admin) => listServers(admin)))

  settings(common(server.command('add')))
    .description('Add a server: a program to start, or a URL to connect to')
    .argument('<id>', 'id of the server; part of every tool key, cannot be changed later')
    .argument('[command...]', 'after --: program and arguments')
    .addHelpText(
      'after',
      examples(
        'tooldex server add files -- npx -y @modelcontextprotocol/server-filesystem .',
        'tooldex server add issues --url https://issues.example.org/mcp --header "Authorization: Bearer …"',
        'tooldex server add mail --env MAIL_KEY=… --start on-demand -- mail-server --stdio',
      ),
    )
    .action((id: string, command: string[], options: Given<ServerOptions>) =>
      manage(options, (admin) => addServer(admin, id, command, options)),
    )

  common(server.command('show'))
    .description('Show one server: command, tools, errors')
    .argument('<id>', 'id of the server')
    .addHelpText('after', examples('tooldex server show files'))
    .action((id: string, options: CommonOptions) => manage(options, (admin) => showServer(admin, id)))

  settings(common(server.command('set')))
    .description('Change a server; only this server restarts')
    .argument('<id>', 'id of the server')
    .argument('[command...]', 'after --: new program and arguments')
    .option('--unset <key>', 'reset to the default; repeatable', collect)
    .addHelpText(
      'after',
      examples(
        'tooldex server set files --start on-demand --limit callTimeoutMs=120000',
        'tooldex server set mail --env MAIL_KEY=…',
        'tooldex server set files -- npx -y @modelcontextprotocol/server-filesystem ./docs',
      ),
    )
    .action((id: string, command: string[], options: Given<ServerOptions>) =>
      manage(options, (admin) => setServer(admin, id, command, options)),
    )

  for (const to of ['enable', 'disable', 'restart'] as const) {
    common(server.command(to))
      .description(
        { enable: 'Enable a server', disable: 'Stop a server and keep its entry', restart: 'Restart a server' }[to],
      )
      .argument('<id>', 'id of the server')
      .addHelpText('after', examples(`tooldex server ${to} files`))
      .action((id: string, options: CommonOptions) => manage(options, (admin) => switchServer(admin, id, to)))
  }

  common(server.command('tool'))
    .description('Deny or allow a tool for all projects')
    .argument('<tool>', 'server:tool')
    .addOption(new Option('--deny', 'hide the tool and reject calls').conflicts('allow'))
    .option('--allow', 'remove the denial')
    .addHelpText('after', examples('tooldex server tool github:delete_repo --deny'))
    .action((tool: string, options: Given<{ deny?: boolean; allow?: boolean }>, command: Command) =>
      options.deny === undefined && options.allow === undefined
        ? command.error('error: --deny or --allow is required')
        : manage(options, (admin) => setServerTool(admin, tool, options.allow === true)),
    )

  common(server.command('logs'))
    .description('Show the standard error of a server')
    .argument('<id>', 'id of the server')
    .option('--lines <number>', 'number of recent lines', wholeNumber(1, 500))
    .option('--follow', 'keep printing new lines until Ctrl-C')
    .addHelpText('after', examples('tooldex server logs files', 'tooldex server logs files --follow'))
    .action((id: string, options: Given<{ lines?: number; follow?: boolean }>) =>
      manage(options, (admin) => showLogs(admin, id, options)),
    )

  common(server.command('login'))
    .description('Print the login page of a server')
    .argument('<id>', 'id of the server')
    .addHelpText('after', examples('tooldex server login issues'))
    .action((id: string, options: CommonOptions) => manage(options, (admin) => loginServer(admin, id)))

  common(server.command('logout'))
    .description('Delete the stored login of a server')
    .argument('<id>', 'id of the server')
    .addHelpText('after', examples('tooldex server logout issues'))
    .action((id: string, options: CommonOptions) => manage(options, (admin) => logoutServer(admin, id)))

  common(server.command('import'))
    .description('Add the servers from the file of a client, or of another gateway')
    .argument('<file>', 'JSON, TOML or YAML file of any client, MCProxy or MetaMCP; - reads standard input')
    .option('--dry-run', 'only show what would be added')
    .option('--client <name>', 'client whose rules apply, if the path does not tell; such as cursor or codex')
    .option('--input <NAME=value>', 'value that a server needs; repeatable', collect)
    .addHelpText(
      'after',
      examples(
        'tooldex server import ~/.cursor/mcp.json --dry-run',
        'tooldex server import ~/.codex/config.toml',
        'tooldex server import .vscode/mcp.json --input tickets-token=…',
      ),
    )
    .action((file: string, options: Given<ServerImportOptions>) =>
      manage(options, (admin) => importFile(admin, file, options)),
    )

  common(server.command('remove'))
    .description('Stop and remove a server, also from projects and tokens')
    .argument('<id>', 'id of the server')
    .addHelpText('after', examples('tooldex server remove files'))
    .action((id: string, options: CommonOptions) => manage(options, (admin) => removeServer(admin, id)))
}

function settings(command: Command): Command {
  return command
    .option('--url <url>', 'URL of a running server')
    .option('--env <NAME=value>', 'environment variable; repeatable', collect)
    .option('--input <NAME=value>', 'value for ${NAME} or ${input:NAME}, kept encrypted; repeatable', collect)
    .option('--header <Name: value>', 'header for every request to --url; repeatable', collect)
    .option('--cwd <folder>', 'working directory')
    .option('--name <name>', 'display name, and prefix of its tools')
    .addOption(new Option('--type <type>', 'transport of --url').choices(['http', 'sse']))
    .addOption(
      new Option('--start <when>', 'start with the gateway or with the first call').choices(['eager', 'on-demand']),
    )
    .addOption(
      new Option('--instances <how>', 'processes of a program: one for all clients, or for each').choices([
        ...(['auto', 'shared', 'per-client'] as const),
      ]),
    )
    .option('--roots', 'give the program the folders (roots) of clients on this machine; the default')
    .option('--no-roots', 'do not')
    .addOption(
      new Option('--trust <mode>', 'its own changes: held if harmful, all held, or none').choices([
        'standard',
        'strict',
        'off',
      ]),
    )
    .option('--limit <key=number>', 'limit such as callTimeoutMs=120000; repeatable', collect)
}

/** Options of `server add` and `server set`. */
interface ServerOptions {
  readonly url?: string
  readonly env?: readonly string[]
  readonly input?: readonly string[]
  readonly header?: readonly string[]
  readonly cwd?: string
  readonly name?: string
  readonly type?: 'http' | 'sse'
  readonly start?: 'eager' | 'on-demand'
  readonly trust?: 'standard' | 'strict' | 'off'
  readonly instances?: 'auto' | 'shared' | 'per-client'
  readonly roots?: boolean
  readonly limit?: readonly string[]
  readonly unset?: readonly string[]
}

/** `tooldex server list` */
async function listServers(admin: Admin): Promise<number> {
  const { items } = await admin.client.ask('listServers')
  const rows = items.map((server) => [
    server.id,
    stateOf(server),
    server.toolsUnknown === undefined ? String(server.counts.tools) : '-',
    listed(server.projects),
    server.managedBy,
    server.status?.loginUrl ??
      needOf(server) ??
      server.toolsUnknown ??
      server.status?.lastError?.message ??
      server.problem ??
      '',
  ])
  const head = ['server', 'state', 'tools', 'projects', 'managed by', '']
  const none = ['  no servers yet; add one: tooldex server add <id> -- <command…>']
  return answer(admin, { servers: items }, items.length === 0 ? none : table(head, rows, admin.context.terminal))
}

/** `tooldex server show` */
async function showServer(admin: Admin, id: string): Promise<number> {
  return answerServer(admin, await admin.client.ask('getServer', { params: { server: id } }))
}

/** `tooldex server add` */
async function addServer(
  admin: Admin,
  id: string,
  command: readonly string[],
  options: ServerOptions,
): Promise<number> {
  if (command.length === 0 && options.url === undefined) {
    throw new GatewayError('INVALID_ARGUMENTS', {
      reason: 'a server needs a command or a URL',
      remedy: `tooldex server add ${id} -- <command…>, or tooldex server add ${id} --url <url>`,
    })
  }
  const server = await admin.client.ask('createServer', { body: { id, ...settingsOf(command, options) } })
  return answer(admin, server, [`  added the server ${server.id}`, ...nextStep(admin, server)])
}

/** `tooldex server set` */
async function setServer(
  admin: Admin,
  id: string,
  command: readonly string[],
  options: ServerOptions,
): Promise<number> {
  const unset = options.unset === undefined ? {} : { unset: [...options.unset] }
  const body = { ...settingsOf(command, options), ...unset } as ServerPatch
  // Variables and headers that are not named keep their values, which are masked here.
  const { config } = await admin.client.ask('getServer', { params: { server: id } })
  if (body.env !== undefined) body.env = { ...config.env, ...body.env }
  if (body.inputs !== undefined) body.inputs = { ...config.inputs, ...body.inputs }
  if (body.headers !== undefined) body.headers = { ...config.headers, ...body.headers }
  const server = await admin.client.ask('changeServer', { params: { server: id }, body })
  return answer(admin, server, [`  changed the server ${server.id}`])
}

/** `tooldex server enable`, `disable` and `restart` */
async function switchServer(admin: Admin, id: string, to: 'enable' | 'disable' | 'restart'): Promise<number> {
  const server = await admin.client.ask(`${to}Server`, { params: { server: id } })
  return answer(admin, server, [`  ${to === 'restart' ? 'restarted' : `${to}d`} the server ${id}: ${stateOf(server)}`])
}

/** `tooldex server remove` */
async function removeServer(admin: Admin, id: string): Promise<number> {
  return answerRemoval(admin, 'server', await admin.client.ask('removeServer', { params: { server: id } }))
}

/** `tooldex server tool`: for all projects; `tooldex project tool` is for one. */
async function setServerTool(admin: Admin, tool: string, allowed: boolean): Promise<number> {
  const changed = await admin.client.ask('changeTool', { params: { tool }, body: { allowed } })
  return answer(admin, changed, [`  ${tool} is ${allowed ? 'allowed' : 'denied'} for all projects`])
}

/** `tooldex server login` */
async function loginServer(admin: Admin, id: string): Promise<number> {
  const login = await admin.client.ask('loginServer', { params: { server: id } })
  return answer(admin, login, [`  open this page and log in: ${login.loginUrl}`])
}

/** `tooldex server logout` */
async function logoutServer(admin: Admin, id: string): Promise<number> {
  await admin.client.ask('logoutServer', { params: { server: id } })
  return answer(admin, { loggedOut: id }, [`  deleted the login of ${id}`])
}

function settingsOf(command: readonly string[], options: ServerOptions) {
  const [program, ...args] = command
  const env = pairs(options.env, '=', '--env')
  const inputs = pairs(options.input, '=', '--input')
  const headers = pairs(options.header, ':', '--header')
  const limits = limitsOf(options.limit)
  return {
    ...(program !== undefined && { command: program, args }),
    ...(options.url !== undefined && { url: options.url }),
    ...(env !== undefined && { env }),
    ...(inputs !== undefined && { inputs }),
    ...(headers !== undefined && { headers }),
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    ...(options.name !== undefined && { name: options.name }),
    ...(options.type !== undefined && { type: options.type }),
    ...(options.start !== undefined && { start: options.start }),
    ...(options.trust !== undefined && { trust: options.trust }),
    ...(options.instances !== undefined && { instances: options.instances }),
    ...(options.roots !== undefined && { roots: options.roots }),
    ...(limits !== undefined && { limits }),
  }
}

function limitsOf(texts: readonly string[] | undefined): Record<string, number> | undefined {
  const limits = pairs(texts, '=', '--limit')
  return limits && Object.fromEntries(Object.entries(limits).map(([name, text]) => [name, Number(text)]))
}

function nextStep({ client }: Admin, { id, status }: AdminServer): string[] {
  if (!client.isLive) return ['  no gateway is running; the server starts with the next `tooldex serve`']
  const state = status?.state ?? 'starting'
  return [`  state: ${state}; check again: tooldex server show ${id}`]
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
      ['needs', missingOf(server)],
      ['last error', status?.lastError?.message],
      ['problem', server.problem],
      ['log in at', status?.loginUrl],
      ['runs', runs],
      ['connects to', config.url],
      ['environment', named(config.env)],
      ['headers', named(config.headers)],
      ['starts', config.start],
      ['processes', config.command === undefined ? undefined : processesOf(server)],
      ['offers', offersOf(counts)],
      ['in projects', listed(server.projects)],
      ['managed by', server.file ?? server.managedBy],
      ...server.remarks.map((remark) => ['remark', remark] as const),
    ],
    admin.context.terminal,
  )
  return answer(admin, server, lines)
}

const offersOf = ({ tools, prompts, resources }: AdminServer['counts']): string =>
  [counted(tools, 'tool'), counted(prompts, 'prompt'), counted(resources, 'resource')].join(', ')

function needOf(server: AdminServer): string | undefined {
  const missing = missingOf(server)
  return missing === undefined ? undefined : `needs ${missing}`
}

function missingOf({ id, missingValues }: AdminServer): string | undefined {
  const [first] = missingValues ?? []
  if (missingValues === undefined || first === undefined) return undefined
  return `a value for ${missingValues.join(', ')}: tooldex server set ${id} --input ${first}=…`
}

/** The processes of a program: the setting, and what it means now. */
function processesOf({ config, status }: AdminServer): string {
  const { instances } = status ?? {}
  if (instances === undefined) return config.instances
  const now = instances.perClient ? 'one for each client' : 'one for all clients'
  const meaning = config.instances === 'auto' ? `auto, ${now}` : now
  return instances.perClient ? `${meaning}; ${instances.running} running` : meaning
}

function stateOf({ enabled, status, toolsUnknown }: AdminServer): string {
  if (!enabled) return 'disabled'
  const running = status?.instances?.running ?? 0
  const clients = running === 0 ? '' : ` + ${running} for clients`
  const state = `${status?.state ?? 'not running'}${clients}`
  return toolsUnknown === undefined ? state : `${state}, tools unknown`
}

/** `tooldex server logs`: the server's standard error. */
async function showLogs(
  admin: Admin,
  id: string,
  { lines, follow: isFollowing }: { readonly lines?: number; readonly follow?: boolean },
): Promise<number> {
  const input = { params: { server: id }, query: lines === undefined ? {} : { lines } }
  if (isFollowing === true) {
    if (!admin.client.isLive) {
      const reason = 'only a running gateway has new lines'
      throw new GatewayError('NOT_RUNNING', { reason, remedy: 'Start `tooldex serve`' })
    }
    const accept = 'text/event-stream'
    return follow(admin, (signal) => admin.client.open('serverLogs', input, { accept, signal }), logLine)
  }
  const { items } = await admin.client.ask('serverLogs', input)
  return answer(admin, { lines: items }, items.length === 0 ? ['  nothing yet'] : items.map(logLine))
}

const logLine = ({ at, line }: { readonly at: number; readonly line: string }): string =>
  `${new Date(at).toISOString().slice(11, 23)}  ${clean(line)}`
