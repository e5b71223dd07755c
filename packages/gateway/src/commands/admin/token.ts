import type { AdminToken } from '@tooldex/contract/admin'
import type { Command } from 'commander'
import { createToken } from '../../access/tokens.ts'
import { GatewayError } from '../../errors.ts'
import type { CommandContext } from '../gateway/context.ts'
import { type CommonOptions, common, examples } from '../terminal/command-options.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { type Registry, type Admin, answer, answerRemoval, listed } from './admin.ts'
import { moment, paintFor, table } from '../terminal/terminal.ts'

/** Adds `tooldex token …`. */
export function addTokenCommands(program: Command, { manage, done }: Registry, context: CommandContext): void {
  const token = program.command('token').description('Manage tokens')

  common(token.command('create'))
    .description('Create a token; its secret is shown once')
    .requiredOption('--name <name>', 'user or program that uses the token')
    .option('--project <id...>', 'projects that the token may use (default: all)')
    .option('--server <id...>', 'servers that the token may use (default: all)')
    .option('--tool <key...>', 'allow only these tools, server:tool (default: all)')
    .option('--read-only', 'allow only tools whose approved definition is read-only')
    .option('--expires <date>', 'expiry date')
    .option('--admin', 'create a token for the admin API instead of endpoints')
    .option('--print-only', 'do not store the token; print its entry for tooldex.json')
    .addHelpText(
      'after',
      examples(
        'tooldex token create --name laptop',
        'tooldex token create --name ci --project work --read-only --expires 2027-01-31',
        'tooldex token create --name laptop --print-only',
      ),
    )
    .action(async (options: CommonOptions & TokenOptions) => {
      if (options.printOnly !== true) {
        return manage(options, (admin) => createStoredToken(admin, options))
      }
      return done(printToken(options, context))
    })

  common(token.command('list'))
    .description('List tokens with scopes, expiry and last use, without secrets')
    .addHelpText('after', examples('tooldex token list', 'tooldex token list --json'))
    .action((options: CommonOptions) => manage(options, (admin) => listTokens(admin)))

  common(token.command('revoke'))
    .description('Revoke a token and close its streams')
    .argument('<token>', 'name or id of the token')
    .addHelpText('after', examples('tooldex token revoke laptop'))
    .action((given: string, options: CommonOptions) => manage(options, (admin) => revokeToken(admin, given)))

  common(token.command('explain'))
    .description('Explain step by step why a token can or cannot use a tool')
    .argument('<token>', 'name or id of the token')
    .argument('<tool>', 'server:tool')
    .option('--project <id>', 'check only this project')
    .addHelpText(
      'after',
      `${examples('tooldex token explain laptop github:delete_repo')}\nExit code 1: the token cannot use the tool.`,
    )
    .action((given: string, tool: string, options: CommonOptions & { project?: string }) =>
      manage(options, (admin) => explainToken(admin, given, tool, options)),
    )
}

/** Options of `token create`. */
interface TokenOptions {
  readonly name: string
  readonly project?: readonly string[]
  readonly server?: readonly string[]
  readonly tool?: readonly string[]
  readonly readOnly?: boolean
  readonly expires?: string
  readonly admin?: boolean
  readonly printOnly?: boolean
}

/** `tooldex token create` */
async function createStoredToken(admin: Admin, options: TokenOptions): Promise<number> {
  const { name, project, server, tool, readOnly, expires } = options
  const made = await admin.client.ask('createToken', {
    body: {
      name,
      kind: options.admin === true ? 'admin' : 'client',
      ...(project !== undefined && { projects: [...project] }),
      ...(server !== undefined && { servers: [...server] }),
      ...(tool !== undefined && { tools: [...tool] }),
      ...(readOnly === true && { readOnly }),
      ...(expires !== undefined && { expiresAt: dateOf(expires) }),
    },
  })
  const paint = paintFor(admin.context.terminal)
  return answer(admin, made, [
    `  ${paint.dim('token')}   ${made.secret}   ${paint.dim('(shown once)')}`,
    `  ${paint.dim('may')}     ${scopeOf(made.token)}`,
  ])
}

/** `tooldex token list` */
async function listTokens(admin: Admin): Promise<number> {
  const { items } = await admin.client.ask('listTokens')
  const rows = items.map((token) => [
    token.name,
    token.kind,
    token.isExpired ? 'expired' : moment(token.expiresAt),
    moment(token.lastUsedAt),
    token.managedBy,
    scopeOf(token),
  ])
  const head = ['token', 'kind', 'expires', 'last used', 'managed by', 'may use']
  const none = ['  no tokens yet; create one: tooldex token create --name <name>']
  return answer(admin, { tokens: items }, items.length === 0 ? none : table(head, rows, admin.context.terminal))
}

/** `tooldex token revoke` */
async function revokeToken(admin: Admin, given: string): Promise<number> {
  const { id, name } = await tokenOf(admin, given)
  const removal = await admin.client.ask('revokeToken', { params: { token: id } })
  return answerRemoval(admin, 'token', removal, name)
}

/** `tooldex token explain`: why a token can or cannot use a tool. Exit code 1: it cannot. */
async function explainToken(
  admin: Admin,
  given: string,
  tool: string,
  { project }: { readonly project?: string },
): Promise<number> {
  const { id, name } = await tokenOf(admin, given)
  const query = { tool, ...(project !== undefined && { project }) }
  const explained = await admin.client.ask('explainToken', { params: { token: id }, query })
  const paint = paintFor(admin.context.terminal)
  const lines = explained.projects.flatMap(({ project: each, endpoints, allowed, steps }) => [
    `  in the project ${each} (${endpoints.length === 0 ? 'no endpoint' : listed(endpoints)}): ${allowed ? 'yes' : 'no'}`,
    ...steps.map(({ question, ok, answer: text, remedy }) => {
      const mark = ok ? paint.green('yes') : paint.red('no ')
      return `    ${mark}  ${question} ${text}.${remedy === undefined ? '' : ` ${remedy}.`}`
    }),
  ])
  answer(admin, explained, [`  ${name} ${explained.allowed ? 'can' : 'cannot'} use ${tool}`, ...lines])
  return explained.allowed ? EXIT.ok : EXIT.failed
}

/** The token with this id or, in any case, this name. @throws GatewayError TOKEN_NOT_FOUND */
async function tokenOf({ client }: Admin, given: string): Promise<AdminToken> {
  const { items } = await client.ask('listTokens')
  const plain = given.trim().toLowerCase()
  const found = items.find(({ id }) => id === given) ?? items.find(({ name }) => name.toLowerCase() === plain)
  if (found !== undefined) return found
  throw new GatewayError('TOKEN_NOT_FOUND', {
    reason: `no token has the id or name ${given}`,
    remedy: 'List them: tooldex token list',
  })
}

/** @throws GatewayError INVALID_ARGUMENTS */
function dateOf(text: string): number {
  const at = Date.parse(text)
  if (!Number.isNaN(at)) return at
  throw new GatewayError('INVALID_ARGUMENTS', { reason: '--expires takes a date such as 2027-01-31' })
}

function scopeOf({ kind, projects, servers, tools, readOnly }: AdminToken): string {
  if (kind === 'admin') return 'the admin API and the commands that manage the gateway; no endpoint'
  return [
    projects === undefined ? 'all projects' : `projects ${listed(projects)}`,
    ...(servers === undefined ? [] : [`servers ${listed(servers)}`]),
    ...(tools === undefined ? [] : [`only the tools ${listed(tools)}`]),
    ...(readOnly ? ['read-only tools'] : []),
  ].join(', ')
}

/** What `tooldex token create --print-only` takes. */
interface PrintTokenOptions extends Pick<CommonOptions, 'json'> {
  readonly name: string
  readonly project?: readonly string[]
  readonly server?: readonly string[]
  readonly tool?: readonly string[]
  readonly readOnly?: boolean
  readonly expires?: string
}

/** `tooldex token create --print-only`: makes a secret, shows it once, and gives the line for the configuration. */
function printToken(options: PrintTokenOptions, { terminal }: CommandContext): number {
  if (options.name.trim() === '') throw new GatewayError('INVALID_ARGUMENTS', { reason: 'a token needs a name' })
  if (options.expires !== undefined && Number.isNaN(Date.parse(options.expires))) {
    throw new GatewayError('INVALID_ARGUMENTS', { reason: '--expires takes a date such as 2027-01-31' })
  }
  const { secret, hash } = createToken()
  const entry = {
    name: options.name.trim(),
    sha256: hash,
    ...(options.project !== undefined && { projects: options.project }),
    ...(options.server !== undefined && { servers: options.server }),
    ...(options.tool !== undefined && { tools: options.tool }),
    ...(options.readOnly === true && { readOnly: true }),
    ...(options.expires !== undefined && { expires: options.expires }),
  }
  if (options.json === true) {
    terminal.out(`${JSON.stringify({ secret, config: entry })}\n`)
    return EXIT.ok
  }
  const paint = paintFor(terminal)
  terminal.out(`  ${paint.dim('token')}    ${secret}   ${paint.dim('(shown once)')}\n`)
  terminal.out(`  ${paint.dim('config')}   add to "tokens" in tooldex.json:\n\n    ${JSON.stringify(entry)}\n`)
  return EXIT.ok
}
