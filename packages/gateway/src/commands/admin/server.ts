import type { AdminServer, RouteAnswer, ServerPatch } from '@tooldex/contract/admin'
import { type Command, Option } from 'commander'
import { GatewayError } from '../../errors.ts'
import { type CommonOptions, collect, common, examples, pairs, wholeNumber } from '../terminal/command-options.ts'
import { type Registry, type Admin, answer, answerRemoval, follow, listed } from './admin.ts'
import { importServers } from './transfer.ts'
import { clean, facts, moment, table } from '../terminal/terminal.ts'

type Given<Options> = CommonOptions & Options

/** Adds `tooldex server …`. */
export function addServerCommands(program: Command, { manage }: Registry): void {
  const server = program.command('server').description('Manage servers: add, change, restart, look into')

  common(server.command('list'))
    .description('All servers: state, tools, projects')
    .addHelpText('after', examples('tooldex server list', 'tooldex server list --json'))
    .action((options: CommonOptions) => manage(options, (admin) => listServers(admin)))

  settings(common(server.command('add')))
    .description('Add a server: a program to start, or an address to connect to')
    .argument('<id>', 'part of every tool key, so it is for ever')
    .argument('[command...]', 'after --: the program and its arguments')
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
    .description('One server: what it runs, what it offers, what went wrong')
    .argument('<id>', 'its id')
    .addHelpText('after', examples('tooldex server show files'))
    .action((id: string, options: CommonOptions) => manage(options, (admin) => showServer(admin, id)))

  settings(common(server.command('set')))
    .description('Change a server; it restarts, and no other does')
    .argument('<id>', 'its id')
    .argument('[command...]', 'after --: another program and its arguments')
    .option('--unset <key>', 'have the default again; can be given several times', collect)
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
      .description({ enable: 'Use it again', disable: 'Stop it and keep its entry', restart: 'Stop and start it' }[to])
      .argument('<id>', 'its id')
      .addHelpText('after', examples(`tooldex server ${to} files`))
      .action((id: string, options: CommonOptions) => manage(options, (admin) => switchServer(admin, id, to)))
  }

  common(server.command('tool'))
    .description('Forbid or allow a tool for everybody')
    .argument('<tool>', 'server:tool')
    .addOption(new Option('--deny', 'in no list, no search, and not to be called').conflicts('allow'))
    .option('--allow', 'as before')
    .addHelpText('after', examples('tooldex server tool github:delete_repo --deny'))
    .action((tool: string, options: Given<{ deny?: boolean; allow?: boolean }>, command: Command) =>
      options.deny === undefined && options.allow === undefined
        ? command.error('error: say --deny or --allow')
        : manage(options, (admin) => setServerTool(admin, tool, options.allow === true)),
    )

  common(server.command('logs'))
    .description('What it wrote to its standard error')
    .argument('<id>', 'its id')
    .option('--lines <number>', 'how many of the latest', wholeNumber(1, 500))
    .option('--follow', 'and those to come, until Ctrl-C')
    .addHelpText('after', examples('tooldex server logs files', 'tooldex server logs files --follow'))
    .action((id: string, options: Given<{ lines?: number; follow?: boolean }>) =>
      manage(options, (admin) => showLogs(admin, id, options)),
    )

  common(server.command('login'))
    .description('The page where a person logs in to it')
    .argument('<id>', 'its id')
    .addHelpText('after', examples('tooldex server login issues'))
    .action((id: string, options: CommonOptions) => manage(options, (admin) => loginServer(admin, id)))

  common(server.command('logout'))
    .description('Forget the login at it')
    .argument('<id>', 'its id')
    .addHelpText('after', examples('tooldex server logout issues'))
    .action((id: string, options: CommonOptions) => manage(options, (admin) => logoutServer(admin, id)))

  common(server.command('import'))
    .description('Add the servers of a configuration of Claude, Cursor or VS Code')
    .argument('<file>', 'their mcpServers or servers; - reads standard input')
    .option('--dry-run', 'only say what would be added')
    .addHelpText('after', examples('tooldex server import ~/.cursor/mcp.json --dry-run'))
    .action((file: string, options: Given<{ dryRun?: boolean }>) =>
      manage(options, (admin) => importServers(admin, file, options.dryRun === true)),
    )

  common(server.command('remove'))
    .description('Stop and remove it; projects and tokens lose it')
    .argument('<id>', 'its id')
    .addHelpText('after', examples('tooldex server remove files'))
    .action((id: string, options: CommonOptions) => manage(options, (admin) => removeServer(admin, id)))
}

function settings(command: Command): Command {
  return command
    .option('--url <url>', 'the address of a server that runs already')
    .option('--env <NAME=value>', 'for its environment; can be given several times', collect)
    .option('--header <Name: value>', 'for every request to --url; can be given several times', collect)
    .option('--cwd <folder>', 'where it is started')
    .option('--name <name>', 'what people call it, and the prefix of its tools')
    .addOption(new Option('--type <type>', 'of --url').choices(['http', 'sse']))
    .addOption(new Option('--start <when>', 'with the gateway or the first call').choices(['eager', 'on-demand']))
    .option('--limit <key=number>', 'such as callTimeoutMs=120000; can be given several times', collect)
}

/** What `server add` and `server set` take beside the id and the command. */
interface ServerOptions {
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
      reason: 'a server needs a command or an address',
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
  // Only what is named changes: the other variables and headers stay, behind their masks.
  const { config } = await admin.client.ask('getServer', { params: { server: id } })
  if (body.env !== undefined) body.env = { ...config.env, ...body.env }
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
export async function removeServer(admin: Admin, id: string): Promise<number> {
  return answerRemoval(admin, 'server', await admin.client.ask('removeServer', { params: { server: id } }))
}

/** `tooldex server tool`: for everybody; `tooldex project tool` is for one project. */
async function setServerTool(admin: Admin, tool: string, allowed: boolean): Promise<number> {
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

/** `tooldex server logs`: the server's standard error. */
async function showLogs(
  admin: Admin,
  id: string,
  { lines, follow: isFollowing }: { readonly lines?: number; readonly follow?: boolean },
): Promise<number> {
  const input = { params: { server: id }, query: lines === undefined ? {} : { lines } }
  if (isFollowing === true) {
    const accept = 'text/event-stream'
    return follow(admin, (signal) => admin.client.open('serverLogs', input, { accept, signal }), logLine)
  }
  const { items } = await admin.client.ask('serverLogs', input)
  return answer(admin, { lines: items }, items.length === 0 ? ['  nothing yet'] : items.map(logLine))
}

const logLine = ({ at, line }: { readonly at: number; readonly line: string }): string =>
  `${new Date(at).toISOString().slice(11, 23)}  ${clean(line)}`
