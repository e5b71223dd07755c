import { ADMIN_ROLES, type AdminRole, type AdminToken } from '@tooldex/contract/admin'
import { Argument, type Command, Option } from 'commander'
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
    .addOption(
      new Option('--role <role>', 'role of an admin token (default: administrator); implies --admin').choices(
        ADMIN_ROLES,
      ),
    )
    .option('--print-only', 'do not store the token; print its entry for tooldex.json')
    .addHelpText(
      'after',
      examples(
        'tooldex token create --name laptop',
        'tooldex token create --name ci --project work --read-only --expires 2027-01-31',
        'tooldex token create --name laptop --print-only',
        'tooldex token create --name night-shift --role operator',
      ),
    )
    .action(async (options: CommonOptions & TokenOptions) => {
      if (options.printOnly !== true) {
        return manage(options, (admin) => createStoredToken(admin, options))
      }
      return done(printToken(options, context))
    })

  common(token.command('list'))
    .description('List tokens with roles, scopes, expiry and last use, without secrets')
    .addHelpText('after', examples('tooldex token list', 'tooldex token list --json'))
    .action((options: CommonOptions) => manage(options, (admin) => listTokens(admin)))

  common(token.command('revoke'))
    .description('Revoke a token and close its streams')
    .argument('<token>', 'name or id of the token')
    .addHelpText('after', examples('tooldex token revoke laptop'))
    .action((given: string, options: CommonOptions) => manage(options, (admin) => revokeToken(admin, given)))

  common(token.command('rotate'))
    .description('Give a token a new secret; the old one stays valid for a while')
    .argument('<token>', 'name or id of the token')
    .option('--overlap <time>', 'how long the old secret stays valid: 0, 90m, 24h, 7d', '24h')
    .addHelpText('after', examples('tooldex token rotate laptop', 'tooldex token rotate laptop --overlap 7d'))
    .action((given: string, options: CommonOptions & { overlap: string }) =>
      manage(options, (admin) => rotateToken(admin, given, options.overlap)),
    )

  common(token.command('role'))
    .description('Change the role of an admin token: reader, operator or administrator')
    .argument('<token>', 'name or id of the token')
    .addArgument(new Argument('<role>', 'its role from the next request on').choices(ADMIN_ROLES))
    .addHelpText('after', examples('tooldex token role night-shift reader'))
    .action((given: string, role: AdminRole, options: CommonOptions) =>
      manage(options, (admin) => changeRole(admin, given, role)),
    )

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
  readonly role?: AdminRole
  readonly printOnly?: boolean
}

/** `tooldex token create` */
async function createStoredToken(admin: Admin, options: TokenOptions): Promise<number> {
  const { name, project, server, tool, readOnly, expires, role } = options
  const made = await admin.client.ask('createToken', {
    body: {
      name,
      kind: options.admin === true || role !== undefined ? 'admin' : 'client',
      ...(role !== undefined && { role }),
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
  const listed = await admin.client.ask('listTokens')
  const items = listed.items.toSorted((one, other) => one.name.localeCompare(other.name))
  const rows = items.map((token) => [
    token.name,
    token.role ?? token.kind,
    token.isExpired ? 'expired' : moment(token.expiresAt),
    moment(token.lastUsedAt),
    token.managedBy,
    scopeOf(token),
  ])
  const head = ['token', 'kind or role', 'expires', 'last used', 'managed by', 'may use']
  const none = ['  no tokens yet; create one: tooldex token create --name <name>']
  return answer(admin, { tokens: items }, items.length === 0 ? none : table(head, rows, admin.context.terminal))
}

/** `tooldex token revoke` */
async function revokeToken(admin: Admin, given: string): Promise<number> {
  const { id, name } = await tokenOf(admin, given)
  const removal = await admin.client.ask('revokeToken', { params: { token: id } })
  return answerRemoval(admin, 'token', removal, name)
}

/** `tooldex token rotate` */
async function rotateToken(admin: Admin, given: string, overlap: string): Promise<number> {
  const { id } = await tokenOf(admin, given)
  const made = await admin.client.ask('rotateToken', { params: { token: id }, body: { overlapMs: timeOf(overlap) } })
  const paint = paintFor(admin.context.terminal)
  const { previous } = made
  const until =
    previous === undefined
      ? 'the old secret is refused from now on'
      : `valid until ${moment(previous.expiresAt)}, as the token ${previous.name}`
  return answer(admin, made, [
    `  ${paint.dim('token')}   ${made.secret}   ${paint.dim('(shown once)')}`,
    `  ${paint.dim('old')}     ${until}`,
  ])
}

/** `tooldex token role` */
async function changeRole(admin: Admin, given: string, role: AdminRole): Promise<number> {
  const { id } = await tokenOf(admin, given)
  const token = await admin.client.ask('changeToken', { params: { token: id }, body: { role } })
  return answer(admin, { token }, [`  ${token.name} is now ${role} and may use ${scopeOf(token)}`])
}

const UNITS: Readonly<Record<string, number>> = { '': 1, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** @throws GatewayError INVALID_ARGUMENTS */
function timeOf(text: string): number {
  const [, number = '', unit = ''] = /^(\d+)([mhd]?)$/.exec(text.trim()) ?? []
  const ms = Number(number) * (UNITS[unit] ?? Number.NaN)
  if (number !== '' && Number.isSafeInteger(ms) && (unit !== '' || ms === 0)) return ms
  throw new GatewayError('INVALID_ARGUMENTS', { reason: '--overlap takes 0, or a time such as 90m, 24h or 7d' })
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

const SCOPES: Readonly<Record<AdminRole, string>> = {
  reader: 'the admin API, to see everything but secrets; no endpoint',
  operator: 'the admin API, to see, to restart servers, to approve changes and to try tools; no endpoint',
  administrator: 'the admin API and the commands that manage the gateway; no endpoint',
}

function scopeOf({ kind, role = 'administrator', projects, servers, tools, readOnly }: AdminToken): string {
  if (kind === 'admin') return SCOPES[role]
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
