import { type Command, Option } from 'commander'
import type { CommonOptions } from '../context.ts'
import { collect, common, examples, type Registry, wholeNumber } from '../program-parts.ts'
import type { ServerOptions } from './server.ts'

type Given<Options> = CommonOptions & Options

/** Adds `tooldex server …`. */
export function addServerCommands(program: Command, { manage }: Registry): void {
  const load = () => import('./server.ts')
  const server = program.command('server').description('Manage servers: add, change, restart, look into')

  common(server.command('list'))
    .description('All servers: state, tools, projects')
    .addHelpText('after', examples('tooldex server list', 'tooldex server list --json'))
    .action((options: CommonOptions) => manage(options, async (admin) => (await load()).listServers(admin)))

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
      manage(options, async (admin) => (await load()).addServer(admin, id, command, options)),
    )

  common(server.command('show'))
    .description('One server: what it runs, what it offers, what went wrong')
    .argument('<id>', 'its id')
    .addHelpText('after', examples('tooldex server show files'))
    .action((id: string, options: CommonOptions) =>
      manage(options, async (admin) => (await load()).showServer(admin, id)),
    )

  settings(common(server.command('set')))
    .description('Change a server; it restarts only if what it runs or connects to changed')
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
      manage(options, async (admin) => (await load()).setServer(admin, id, command, options)),
    )

  for (const to of ['enable', 'disable', 'restart'] as const) {
    common(server.command(to))
      .description({ enable: 'Use it again', disable: 'Stop it and keep its entry', restart: 'Stop and start it' }[to])
      .argument('<id>', 'its id')
      .addHelpText('after', examples(`tooldex server ${to} files`))
      .action((id: string, options: CommonOptions) =>
        manage(options, async (admin) => (await load()).switchServer(admin, id, to)),
      )
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
        : manage(options, async (admin) => (await load()).setServerTool(admin, tool, options.allow === true)),
    )

  common(server.command('logs'))
    .description('What it wrote to its standard error')
    .argument('<id>', 'its id')
    .option('--lines <number>', 'how many of the latest', wholeNumber(1, 500))
    .option('--follow', 'and those to come, until Ctrl-C')
    .addHelpText('after', examples('tooldex server logs files', 'tooldex server logs files --follow'))
    .action((id: string, options: Given<{ lines?: number; follow?: boolean }>) =>
      manage(options, async (admin) => (await import('./server-logs.ts')).showLogs(admin, id, options)),
    )

  common(server.command('login'))
    .description('The page where a person logs in to it')
    .argument('<id>', 'its id')
    .addHelpText('after', examples('tooldex server login issues'))
    .action((id: string, options: CommonOptions) =>
      manage(options, async (admin) => (await load()).loginServer(admin, id)),
    )

  common(server.command('logout'))
    .description('Forget the login at it')
    .argument('<id>', 'its id')
    .addHelpText('after', examples('tooldex server logout issues'))
    .action((id: string, options: CommonOptions) =>
      manage(options, async (admin) => (await load()).logoutServer(admin, id)),
    )

  common(server.command('import'))
    .description('Add the servers of a configuration of Claude, Cursor or VS Code')
    .argument('<file>', 'their mcpServers or servers; - reads standard input')
    .option('--dry-run', 'only say what would be added')
    .addHelpText('after', examples('tooldex server import ~/.cursor/mcp.json --dry-run'))
    .action((file: string, options: Given<{ dryRun?: boolean }>) =>
      manage(options, async (admin) =>
        (await import('./server-import.ts')).importServers(admin, file, options.dryRun === true),
      ),
    )

  common(server.command('remove'))
    .description('Stop and remove it; projects and tokens lose it')
    .argument('<id>', 'its id')
    .addHelpText('after', examples('tooldex server remove files'))
    .action((id: string, options: CommonOptions) =>
      manage(options, async (admin) => (await load()).removeServer(admin, id)),
    )
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
