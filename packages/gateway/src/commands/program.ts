import { Argument, Command, CommanderError, Option } from 'commander'
import { GatewayError } from '../errors.ts'
import type { Registry } from './admin/admin.ts'
import { addAuditCommands } from './admin/audit.ts'
import { addEndpointCommands } from './admin/endpoint.ts'
import { addProjectCommands } from './admin/project.ts'
import { addServerCommands } from './admin/server.ts'
import { addTokenCommands } from './admin/token.ts'
import { addTransferCommands } from './admin/transfer.ts'
import type { CallCommandOptions } from './call.ts'
import type { ConnectOptions } from './connect.ts'
import type { CommandContext } from './gateway/context.ts'
import type { EvalOptions } from './eval/eval.ts'
import { AdminProblem, EXIT, exitCodeOf } from './terminal/exit-codes.ts'
import type { FindCommandOptions } from './find.ts'
import {
  common,
  type CommonOptions,
  EVAL_STRATEGIES,
  examples,
  STRATEGIES,
  wholeNumber,
} from './terminal/command-options.ts'
import type { SearchApiCommandOptions } from './search-api/search-api.ts'
import type { ServeOptions } from './serve.ts'
import type { StdioCommandOptions } from './stdio.ts'
import { clean } from './terminal/terminal.ts'

const EXIT_CODES = `
Exit codes: 0 fine, 1 failed, 2 usage or configuration, 3 not found, 4 server unavailable.`

/** Runs the command that the arguments name and answers with the exit code. Failures are told, not thrown. */
export async function runProgram(args: readonly string[], context: CommandContext): Promise<number> {
  let exitCode: number = EXIT.ok
  const program = makeProgram(context, (code) => {
    exitCode = code
  })
  try {
    await program.parseAsync([...args], { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
    tellFailure(error, args.includes('--json'), context)
    return exitCodeOf(error)
  }
}

function makeProgram(context: CommandContext, done: (exitCode: number) => void): Command {
  const { terminal } = context
  const program = new Command('tooldex')
    .description(
      'One MCP endpoint for every tool you have; each agent sees only what it needs and finds the rest by search.',
    )
    .version(context.version)
    .exitOverride()
    .configureOutput({ writeOut: (text) => terminal.out(text), writeErr: (text) => terminal.err(text) })
    .addHelpText('after', `${EXIT_CODES}\nEvery command has examples: tooldex help <command>`)
  const registry: Registry = {
    done,
    manage: async (options, work) =>
      done(await (await import('./admin/open-admin.ts')).withAdmin(options, context, work)),
  }
  addGatewayCommands(program, context, done)
  addServerCommands(program, registry)
  addProjectCommands(program, registry)
  addEndpointCommands(program, registry)
  addTokenCommands(program, registry, context)
  addAuditCommands(program, registry)
  addTransferCommands(program, registry)
  addCareCommands(program, registry, context)
  return program
}

// Commands are loaded when they are run: a search should not wait for what only serving needs.
function addGatewayCommands(program: Command, context: CommandContext, done: (exitCode: number) => void): void {
  const { terminal } = context
  common(program.command('serve'))
    .description('Serve the gateway over HTTP')
    .option('--host <host>', 'interface to listen on, over the configuration')
    .option('--port <port>', 'port, over the configuration; 0 takes a free one', wholeNumber(0, 65_535))
    .option('--demo', 'sample servers and tools, in a folder that is removed afterwards')
    .option('--exit', 'end after showing what was started')
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
    .description('Serve one client over the standard streams')
    .option('--endpoint <id>', 'serve this endpoint; default without it')
    .addHelpText(
      'after',
      `${examples('tooldex stdio', 'TOOLDEX_TOKEN=tdx_… tooldex stdio --endpoint work')}
Without TOOLDEX_TOKEN, whoever starts the program may use what the configuration allows at all.`,
    )
    .action(async (options: StdioCommandOptions) => done(await (await import('./stdio.ts')).stdio(options, context)))

  common(program.command('find'))
    .description('Search the tools, from a running gateway or from the last known lists')
    .argument('<words...>', 'what the tool should do')
    .option('--max <number>', 'how many hits', wholeNumber(1, 100))
    .addOption(new Option('--strategy <name>', 'rank the last known lists with another strategy').choices(STRATEGIES))
    .option('--endpoint <id>', 'search as a client of this endpoint')
    .addHelpText('after', examples('tooldex find "file a bug"', 'tooldex find --max 3 --json undo the last deployment'))
    .action(async (words: string[], options: FindCommandOptions) =>
      done(await (await import('./find.ts')).find(words, options, context)),
    )

  common(program.command('call'))
    .description('Call a tool, through a running gateway or by starting its server')
    .argument('<tool>', 'server:tool, as find shows it')
    .argument('[json]', 'its arguments as a JSON object; - reads them from standard input')
    .option('--endpoint <id>', 'call as a client of this endpoint')
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
    .option('--endpoint <id>', 'which endpoint; the default one without it')
    .addHelpText('after', examples('tooldex connect', 'tooldex connect --endpoint work --json'))
    .action(async (options: ConnectOptions) => done(await (await import('./connect.ts')).connect(options, context)))

  common(program.command('eval'))
    .description('Measure how well search finds your tools for your queries, and what would help')
    .option('--queries <file>', 'JSON Lines: {"query": "file a bug", "relevant": ["tracker:create_issue"]}')
    .addOption(new Option('--strategy <name...>', 'which strategies to compare').choices(EVAL_STRATEGIES))
    .option('--endpoint <id>', 'measure as a client of this endpoint')
    .option('--from-audit', 'says why there are no queries in the audit log')
    .addHelpText(
      'after',
      examples(
        'tooldex eval --queries queries.jsonl',
        'tooldex eval --queries queries.jsonl --strategy bm25 hybrid --json',
      ),
    )
    .action(async (options: EvalOptions) => done(await (await import('./eval/eval.ts')).evaluate(options, context)))

  program
    .command('search-api')
    .description('Serve the Search API, which answers the strategy cloud of any number of gateways')
    .option('--host <host>', 'interface to listen on; 127.0.0.1 without it')
    .option('--port <port>', 'port; 7421 without it, 0 takes a free one', wholeNumber(0, 65_535))
    .option('--tokens <file>', 'who may search: a JSON list of what `tooldex token create` prints')
    .option('--jwt-issuer <name>', 'take JWTs of this issuer, too')
    .option('--jwt-audience <name>', 'that are meant for this audience')
    .option('--jwt-keys <url>', 'and signed with one of these keys (JWKS)')
    .addOption(new Option('--select <how>', 'who chooses').choices(['hybrid', 'llm']))
    .option('--llm-url <url>', 'the language model: up to /v1, /chat/completions or /messages')
    .option('--llm-model <name>', 'its name there')
    .addOption(
      new Option('--llm-api <api>', 'what it speaks, where the address does not tell').choices(['openai', 'anthropic']),
    )
    .addOption(
      new Option('--embeddings <provider>', 'who turns texts into vectors; the built-in table without it').choices([
        'static',
        'transformer',
        'http',
      ]),
    )
    .option('--embeddings-url <url>', 'an OpenAI-compatible service: up to /v1 or /v1/embeddings')
    .option('--embeddings-model <name>', 'its model')
    .option(
      '--embeddings-dimensions <number>',
      'length of its vectors, where it can shorten them',
      wholeNumber(8, 8_192),
    )
    .option('--database <url>', 'PostgreSQL that keeps the vectors of a model or service beyond a restart')
    .option('--max-tools <number>', 'tools in a request; 20000 without it', wholeNumber(1, 1_000_000))
    .option('--max-body-mb <number>', 'size of a request, unpacked; 32 without it', wholeNumber(1, 1_024))
    .option('--json', 'for programs')
    .addHelpText(
      'after',
      `${examples(
        'tooldex search-api',
        'tooldex search-api --host 0.0.0.0 --tokens tokens.json',
        'tooldex search-api --embeddings-url http://127.0.0.1:11434/v1 --embeddings-model nomic-embed-text',
        'tooldex search-api --select llm --llm-url http://127.0.0.1:11434/v1 --llm-model qwen3:8b',
        'TOOLDEX_LLM_API_KEY=… tooldex search-api --select llm --llm-url https://api.openai.com/v1 --llm-model <name>',
      )}
TOOLDEX_SEARCH_API_TOKEN is a token for all projects, TOOLDEX_LLM_API_KEY the key of the language model,
TOOLDEX_EMBEDDINGS_API_KEY that of the embedding service, and TOOLDEX_SEARCH_API_DATABASE the same as --database:
arguments can be seen by everybody on the machine.`,
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
    .option('--json', 'no effect: it is JSON anyway')
    .addHelpText('after', examples('tooldex schema > tooldex.schema.json'))
    .action(async () => {
      const { configJsonSchema } = await import('@tooldex/contract')
      terminal.out(`${JSON.stringify(configJsonSchema(), null, 2)}\n`)
    })
}

function tellFailure(error: unknown, json: boolean, { terminal }: CommandContext): void {
  const message = sentenceOf(error)
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

function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code, port } = error as NodeJS.ErrnoException & { port?: number }
  if (code === 'EADDRINUSE') return `Port ${port ?? ''} is in use. Take another with --port or listen.port`
  return error.message
}

/** Adds `doctor`, `secrets` and `completion`: what keeps a gateway, and whoever runs it, well. */
function addCareCommands(program: Command, { manage, done }: Registry, context: CommandContext): void {
  common(program.command('doctor'))
    .description('Say what is wrong with this installation and how to mend it')
    .addHelpText('after', `${examples('tooldex doctor', 'tooldex doctor --json')}\nExit code 1: something is wrong.`)
    .action(async (options: CommonOptions) => done(await (await import('./doctor/doctor.ts')).doctor(options, context)))

  const secrets = program.command('secrets').description('Manage the key that stored secrets are encrypted with')
  common(secrets.command('rotate'))
    .description('Make a new key and encrypt all stored secrets anew')
    .addHelpText(
      'after',
      `${examples('tooldex secrets rotate')}
Old keys stay in the key file: backups need them. With TOOLDEX_SECRET_KEY, put the new key first: TOOLDEX_SECRET_KEY=new,old`,
    )
    .action(async (options: CommonOptions) =>
      done(await (await import('./secrets.ts')).rotateSecrets(options, context)),
    )

  program
    .command('completion')
    .description('Print the completion of this program for a shell')
    .addArgument(new Argument('<shell>', 'which').choices(['bash', 'zsh', 'fish']))
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
    .description('The ids of servers, projects, endpoints or tokens, one a line: what completion asks')
    .addArgument(new Argument('<noun>', 'of what').choices(['server', 'project', 'endpoint', 'token']))
    .action((noun: 'server' | 'project' | 'endpoint' | 'token', options: CommonOptions) =>
      manage(options, async (admin) => (await import('./completion.ts')).showIds(admin, noun)),
    )
}
