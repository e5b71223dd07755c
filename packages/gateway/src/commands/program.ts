import { Argument, Command, CommanderError, Option } from 'commander'
import { GatewayError } from '../errors.ts'
import type { Registry } from './admin/admin.ts'
import type { AddOptions } from './admin/add.ts'
import { addAuditCommands } from './admin/audit.ts'
import { addLearnedCommands } from './admin/learned.ts'
import { addEndpointCommands } from './admin/endpoint.ts'
import { addProjectCommands } from './admin/project.ts'
import { addServerCommands } from './admin/server.ts'
import { addReviewCommand } from './admin/review.ts'
import { addTokenCommands } from './admin/token.ts'
import { addTransferCommands } from './admin/transfer.ts'
import type { CallCommandOptions } from './call.ts'
import type { ConnectOptions } from './connect.ts'
import type { CommandContext } from './gateway/context.ts'
import type { EvalOptions } from './eval/eval.ts'
import { AdminProblem, EXIT, exitCodeOf } from './terminal/exit-codes.ts'
import type { FindCommandOptions } from './find.ts'
import type { HealthOptions } from './health.ts'
import {
  collect,
  common,
  type CommonOptions,
  EVAL_STRATEGIES,
  examples,
  STRATEGIES,
  wholeNumber,
} from './terminal/command-options.ts'
import type { SearchApiCommandOptions } from './search-api/search-api.ts'
import type { ServeOptions } from './serve.ts'
import { addScanCommand } from './scan/scan-command.ts'
import type { SetupOptions } from './setup/setup.ts'
import type { StdioCommandOptions } from './stdio.ts'
import { clean } from './terminal/terminal.ts'

const EXIT_CODES = `
Exit codes: 0 success, 1 failure, 2 usage or configuration, 3 not found, 4 server unavailable, 5 already running.`

/** Runs the command in the arguments and returns the exit code. Prints failures instead of throwing them. */
export async function runProgram(args: readonly string[], context: CommandContext): Promise<number> {
  let exitCode: number = EXIT.ok
  const program = makeProgram(context, (code) => {
    exitCode = code
  })
  try {
    await program.parseAsync(withFirstStep(args), { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
    reportFailure(error, args.includes('--json'), context)
    return exitCodeOf(error)
  }
}

/** Without a command, `tooldex` does the first step: it sets itself up, or shows what is set up. */
function withFirstStep(args: readonly string[]): string[] {
  const isOption = args[0]?.startsWith('--') === true && !['--help', '--version'].includes(args[0])
  return args.length === 0 || isOption ? ['setup', '--bare', ...args] : [...args]
}

function makeProgram(context: CommandContext, done: (exitCode: number) => void): Command {
  const { terminal } = context
  const program = new Command('tooldex')
    .description(
      'One MCP endpoint for all your tools. Each agent sees only what it needs and finds the rest by search.',
    )
    .version(context.version)
    .exitOverride()
    .helpCommand(false)
    .configureOutput({ writeOut: (text) => terminal.out(text), writeErr: (text) => terminal.err(text) })
    .addHelpText('after', `${EXIT_CODES}\nEvery command has examples: tooldex help <command>`)
  const registry: Registry = {
    done,
    manage: async (options, work) =>
      done(await (await import('./admin/open-admin.ts')).withAdmin(options, context, work)),
  }
  addGatewayCommands(program, context, done)
  addRegistryCommand(program, registry)
  addServerCommands(program, registry, async (admin, file, options) =>
    (await import('./setup/import-file.ts')).importServers(admin, file, options),
  )
  addProjectCommands(program, registry)
  addEndpointCommands(program, registry)
  addTokenCommands(program, registry, context)
  addScanCommand(program, registry, context)
  addReviewCommand(program, registry)
  addAuditCommands(program, registry)
  addLearnedCommands(program, registry)
  addTransferCommands(program, registry)
  addMaintenanceCommands(program, registry, context)
  addHelp(program)
  return program
}

// Each command is loaded when it runs, so that a search does not load the code of the server.
function addGatewayCommands(program: Command, context: CommandContext, done: (exitCode: number) => void): void {
  const { terminal } = context
  common(program.command('setup'))
    .description('Import the servers of your clients, and connect the clients to the gateway')
    .option('--dry-run', 'only show what would change, line by line')
    .option('--yes', 'do it without asking')
    .option('--client <name>', 'only this client, such as cursor or codex; repeatable', collect)
    .option('--remove-imported', 'switch the imported servers off in the clients; --undo puts them back')
    .option('--no-import', 'connect the clients and import nothing')
    .option(
      '--token-variable',
      'write a reference to the variable TOOLDEX_TOKEN instead of the token, if the client supports references',
    )
    .option('--input <NAME=value>', 'value that a server needs; repeatable', collect)
    .option('--undo', 'restore the files of the clients and revoke their tokens')
    .addOption(new Option('--bare', 'show the state if there is one').hideHelp())
    .addHelpText(
      'after',
      examples(
        'tooldex setup --dry-run',
        'tooldex setup --yes',
        'tooldex setup --client cursor --client codex --remove-imported',
        'tooldex setup --undo',
      ),
    )
    .action(async (options: SetupOptions) => done(await (await import('./setup/setup.ts')).setup(options, context)))

  common(program.command('serve'))
    .description('Serve the gateway over HTTP')
    .option('--host <host>', 'interface to listen on; overrides the configuration')
    .option('--port <port>', 'port; overrides the configuration; 0 picks a free port', wholeNumber(0, 65_535))
    .option('--demo', 'serve sample servers and tools from a temporary folder')
    .option('--exit', 'exit after the start screen')
    .addOption(new Option('--once', 'the same as --exit').implies({ exit: true }).hideHelp())
    .addHelpText(
      'after',
      examples(
        'tooldex serve',
        'tooldex serve --demo',
        'tooldex serve --config work.json --port 8000',
        'tooldex serve --database postgres://tooldex@db.example.org/tooldex',
      ),
    )
    .action(async (options: ServeOptions) => done(await (await import('./serve.ts')).serve(options, context)))

  common(program.command('stdio'), { json: false })
    .description('Serve one client over standard input and output')
    .option('--endpoint <id>', 'endpoint to serve (default: default)')
    .addHelpText(
      'after',
      `${examples('tooldex stdio', 'TOOLDEX_TOKEN=tdx_… tooldex stdio --endpoint work')}
Without TOOLDEX_TOKEN, the client may use everything that the configuration allows.`,
    )
    .action(async (options: StdioCommandOptions) => done(await (await import('./stdio.ts')).stdio(options, context)))

  common(program.command('find'))
    .description('Search the tools of a running gateway, or the last known lists')
    .argument('<words...>', 'what the tool should do')
    .option('--max <number>', 'maximum number of results', wholeNumber(1, 100))
    .addOption(new Option('--strategy <name>', 'search the last known lists with this strategy').choices(STRATEGIES))
    .option('--endpoint <id>', 'endpoint to search through')
    .addHelpText('after', examples('tooldex find "file a bug"', 'tooldex find --max 3 --json undo the last deployment'))
    .action(async (words: string[], options: FindCommandOptions) =>
      done(await (await import('./find.ts')).find(words, options, context)),
    )

  common(program.command('call'))
    .description('Call a tool through a running gateway, or start its server for the call')
    .argument('<tool>', 'server:tool, as shown by find')
    .argument('[json]', 'arguments as a JSON object; - reads standard input')
    .option('--endpoint <id>', 'endpoint to call through')
    .addHelpText(
      'after',
      examples(
        `tooldex call tracker:create_issue '{"title": "Broken link"}'`,
        'tooldex call files:list --json - < arguments.json',
      ),
    )
    .action(async (tool: string, json: string | undefined, options: CallCommandOptions) =>
      done(await (await import('./call.ts')).call(tool, json, options, context)),
    )

  common(program.command('servers'))
    .description('Show the servers: state, tools, last error')
    .addHelpText('after', examples('tooldex servers', 'tooldex servers --json'))
    .action(async (options: CommonOptions) => done(await (await import('./servers.ts')).servers(options, context)))

  common(program.command('console'))
    .description('Print a link that opens the console and signs in once')
    .addHelpText('after', examples('tooldex console', 'tooldex console --json'))
    .action(async (options: CommonOptions) => done(await (await import('./console.ts')).console(options, context)))

  common(program.command('connect'))
    .description('Show how to connect clients and model APIs to an endpoint')
    .option('--endpoint <id>', 'endpoint to connect to (default: default)')
    .addHelpText('after', examples('tooldex connect', 'tooldex connect --endpoint work --json'))
    .action(async (options: ConnectOptions) => done(await (await import('./connect.ts')).connect(options, context)))

  common(program.command('eval'))
    .description('Measure how well search finds your tools for your queries, and propose improvements')
    .addOption(
      new Option(
        '--queries <file>',
        'JSON Lines: {"query": "file a bug", "relevant": ["tracker:create_issue"]}',
      ).conflicts('fromAudit'),
    )
    .addOption(new Option('--strategy <name...>', 'strategies to compare').choices(EVAL_STRATEGIES))
    .option('--endpoint <id>', 'endpoint to measure')
    .option('--from-audit', 'take the searches that a successful call followed from the audit log')
    .addHelpText(
      'after',
      examples(
        'tooldex eval --queries queries.jsonl',
        'tooldex eval --queries queries.jsonl --strategy bm25 hybrid --json',
        'tooldex eval --from-audit --endpoint work',
      ),
    )
    .action(async (options: EvalOptions) => done(await (await import('./eval/eval.ts')).evaluate(options, context)))

  program
    .command('search-api')
    .description('Serve the Search API, which runs the cloud strategy for any number of gateways')
    .option('--host <host>', 'interface to listen on (default: 127.0.0.1)')
    .option('--port <port>', 'port; 0 picks a free port (default: 7421)', wholeNumber(0, 65_535))
    .option('--tokens <file>', 'accepted tokens: a JSON list of entries from `tooldex token create --print-only`')
    .option('--jwt-issuer <name>', 'also accept JWTs of this issuer')
    .option('--jwt-audience <name>', 'audience of accepted JWTs')
    .option('--jwt-keys <url>', 'URL of the JWKS that signs them')
    .addOption(new Option('--select <how>', 'how results are chosen').choices(['hybrid', 'llm']))
    .option('--llm-url <url>', 'URL of the language model, ending in /v1, /chat/completions or /messages')
    .option('--llm-model <name>', 'name of the language model')
    .addOption(new Option('--llm-api <api>', 'its API, if the URL does not tell').choices(['openai', 'anthropic']))
    .addOption(
      new Option('--embeddings <provider>', 'source of embeddings (default: static, the built-in table)').choices([
        'static',
        'http',
      ]),
    )
    .option('--embeddings-url <url>', 'URL of an OpenAI-compatible service, ending in /v1 or /v1/embeddings')
    .option('--embeddings-model <name>', 'model of the embedding service')
    .option('--embeddings-dimensions <number>', 'vector length, if the model supports several', wholeNumber(8, 8_192))
    .option('--database <url>', 'PostgreSQL database that stores vectors of a model or service across restarts')
    .addOption(new Option('--engine <name>', 'has the index of large catalogs').choices(['memory', 'lance']))
    .option('--engine-at <place>', 'folder, or URL of an object store, of the engine; instances may share it')
    .option('--max-tools <number>', 'maximum number of tools in a request (default: 20000)', wholeNumber(1, 1_000_000))
    .option('--max-body-mb <number>', 'maximum uncompressed size of a request (default: 32)', wholeNumber(1, 1_024))
    .option('--max-catalog-tools <number>', 'the same for a catalog (default: 100000)', wholeNumber(1, 2_000_000))
    .option('--max-catalog-mb <number>', 'the same for a catalog (default: 64)', wholeNumber(1, 4_095))
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `${examples(
        'tooldex search-api',
        'tooldex search-api --host 0.0.0.0 --tokens tokens.json',
        'tooldex search-api --engine lance --engine-at /srv/tooldex/catalogs --max-catalog-tools 1000000',
        'tooldex search-api --embeddings-url http://127.0.0.1:11434/v1 --embeddings-model nomic-embed-text',
        'tooldex search-api --select llm --llm-url http://127.0.0.1:11434/v1 --llm-model qwen3:8b',
        'TOOLDEX_LLM_API_KEY=… tooldex search-api --select llm --llm-url https://api.openai.com/v1 --llm-model <name>',
      )}
Every user of the machine can see command-line arguments, so secrets come from the environment:
TOOLDEX_SEARCH_API_TOKEN (a token for all projects), TOOLDEX_LLM_API_KEY, TOOLDEX_EMBEDDINGS_API_KEY and
TOOLDEX_SEARCH_API_DATABASE (the same as --database).`,
    )
    .action(async (options: SearchApiCommandOptions) =>
      done(await (await import('./search-api/search-api.ts')).searchApi(options, context)),
    )

  common(program.command('check'))
    .description('Check a configuration without starting anything')
    .addHelpText('after', examples('tooldex check', 'tooldex check --config work.json --json'))
    .action(async (options: CommonOptions) => done(await (await import('./check.ts')).check(options, context)))

  program
    .command('schema')
    .description('Print the JSON Schema of tooldex.json, for editors')
    .option('--json', 'no effect: the output is always JSON')
    .addHelpText('after', examples('tooldex schema > tooldex.schema.json'))
    .action(async () => {
      const { configJsonSchema } = await import('@tooldex/contract')
      terminal.out(`${JSON.stringify(configJsonSchema(), null, 2)}\n`)
    })
}

/** Adds `tooldex add`. */
function addRegistryCommand(program: Command, { manage }: Registry): void {
  common(program.command('add'))
    .description('Find a server in a registry and add it')
    .argument('<words...>', 'words of its name, or its exact name')
    .option('--yes', 'add the server of exactly this name without a question')
    .option('--set <KEY=value>', 'value of an input; KEY alone takes the environment variable; repeatable', collect)
    .option('--id <id>', 'id of the new server (default: the last part of its name)')
    .option('--way <way>', 'package or address to use: npm, pypi, oci, nuget, remote, or the package itself')
    .option('--registry <url>', 'only this one of the configured registries')
    .option('--refresh', 'ask the registries even if a recent answer is kept')
    .addHelpText(
      'after',
      `${examples(
        'tooldex add weather',
        'tooldex add io.github.ada/weather --yes --set WEATHER_API_KEY',
        'tooldex add com.example/crm --yes --way remote --id crm --json',
      )}
Without a terminal and without --yes it only lists what it finds. \`tooldex server add\` adds a server that you know.`,
    )
    .action((words: string[], options: AddOptions) =>
      manage(options, async (admin) => (await import('./admin/add.ts')).addFound(admin, words, options)),
    )
}

function reportFailure(error: unknown, json: boolean, { terminal }: CommandContext): void {
  const message = messageOf(error)
  const problems = problemsOf(error)
  if (json) {
    const code = error instanceof GatewayError || error instanceof AdminProblem ? error.code : 'INTERNAL'
    const list = problems.length === 0 ? {} : { problems }
    terminal.out(`${JSON.stringify({ error: { code, message, ...list } })}\n`)
    return
  }
  terminal.err(`${[clean(message), ...problems.map((problem) => `  ${clean(problem)}`)].join('\n')}\n`)
}

function problemsOf(error: unknown): readonly string[] {
  if (error instanceof AdminProblem) return error.problems
  const problems = error instanceof GatewayError ? error.details['problems'] : undefined
  return Array.isArray(problems) ? (problems as readonly string[]) : []
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code, port } = error as NodeJS.ErrnoException & { port?: number }
  if (code === 'EADDRINUSE') return `Port ${port ?? ''} is in use. Choose another with --port or listen.port`
  return error.message
}

/** Commander's own `help` knows the first level of commands only. */
function addHelp(program: Command): void {
  program
    .command('help')
    .description('Show the help of a command')
    .argument('[command...]', 'command, such as: server import')
    .addHelpText('after', examples('tooldex help server import'))
    .action((names: readonly string[]) => {
      const command = names.reduce<Command>((within, name) => {
        const found = within.commands.find((each) => each.name() === name || each.aliases().includes(name))
        return found ?? within.error(`error: unknown command '${names.join(' ')}'. See: tooldex --help`)
      }, program)
      command.outputHelp()
    })
}

/** Adds `doctor`, `secrets` and `completion`. */
function addMaintenanceCommands(program: Command, { manage, done }: Registry, context: CommandContext): void {
  common(program.command('doctor'))
    .description('Find problems of this installation and show how to fix them')
    .addHelpText(
      'after',
      `${examples('tooldex doctor', 'tooldex doctor --json')}\nExit code 1: at least one problem was found.`,
    )
    .action(async (options: CommonOptions) => done(await (await import('./doctor/doctor.ts')).doctor(options, context)))

  common(program.command('health'))
    .description('Ask the running gateway whether it answers, for health checks')
    .option('--ready', 'whether requests may be sent to it')
    .addHelpText(
      'after',
      `${examples('tooldex health', 'tooldex health --ready')}\nExit code 4: it does not answer, or is not ready.`,
    )
    .action(async (options: HealthOptions) => done(await (await import('./health.ts')).health(options, context)))

  const secrets = program.command('secrets').description('Manage the key that encrypts stored secrets')
  common(secrets.command('rotate'))
    .description('Create a new key and re-encrypt all stored secrets')
    .addHelpText(
      'after',
      `${examples('tooldex secrets rotate')}
Old keys stay in the key file, because backups need them. With TOOLDEX_SECRET_KEY, put the new key first: TOOLDEX_SECRET_KEY=new,old`,
    )
    .action(async (options: CommonOptions) =>
      done(await (await import('./secrets.ts')).rotateSecrets(options, context)),
    )

  program
    .command('completion')
    .description('Print a completion script for a shell')
    .addArgument(new Argument('<shell>', 'shell').choices(['bash', 'zsh', 'fish']))
    .addHelpText(
      'after',
      examples(
        'tooldex completion bash > /etc/bash_completion.d/tooldex',
        'tooldex completion zsh > ~/.zfunc/_tooldex',
        'tooldex completion fish > ~/.config/fish/completions/tooldex.fish',
      ),
    )
    .action(async (shell: 'bash' | 'zsh' | 'fish') => {
      const { completion } = await import('./completion.ts')
      context.terminal.out(completion(program, shell))
    })

  common(program.command('ids', { hidden: true }))
    .description('Print the ids of servers, projects, endpoints or tokens, one per line, for shell completion')
    .addArgument(new Argument('<noun>', 'kind of ids').choices(['server', 'project', 'endpoint', 'token']))
    .action((noun: 'server' | 'project' | 'endpoint' | 'token', options: CommonOptions) =>
      manage(options, async (admin) => (await import('./completion.ts')).showIds(admin, noun)),
    )
}
