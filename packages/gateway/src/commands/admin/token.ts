import type { AdminToken } from '@tooldex/contract/admin'
import { GatewayError } from '../../errors.ts'
import { EXIT } from '../exit-codes.ts'
import { moment, table } from '../table.ts'
import { paintFor } from '../terminal.ts'
import { type Admin, answer, listed } from './admin.ts'
import { answerRemoval } from './removal.ts'

/** What `token create` takes. */
export interface TokenOptions {
  readonly name: string
  readonly project?: readonly string[]
  readonly server?: readonly string[]
  readonly readOnly?: boolean
  readonly expires?: string
  readonly admin?: boolean
  readonly printOnly?: boolean
}

/** `tooldex token create` */
export async function createStoredToken(admin: Admin, options: TokenOptions): Promise<number> {
  const { name, project, server, readOnly, expires } = options
  const made = await admin.client.ask('createToken', {
    body: {
      name,
      kind: options.admin === true ? 'admin' : 'client',
      ...(project !== undefined && { projects: [...project] }),
      ...(server !== undefined && { servers: [...server] }),
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
export async function listTokens(admin: Admin): Promise<number> {
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
  const none = ['  there are no tokens yet; make one: tooldex token create --name <name>']
  return answer(admin, { tokens: items }, items.length === 0 ? none : table(head, rows, admin.context.terminal))
}

/** `tooldex token revoke` */
export async function revokeToken(admin: Admin, given: string): Promise<number> {
  const { id, name } = await tokenOf(admin, given)
  const removal = await admin.client.ask('revokeToken', { params: { token: id } })
  return answerRemoval(admin, 'token', removal, name)
}

/** `tooldex token explain`: why a token can or cannot use a tool. The exit code says which. */
export async function explainToken(
  admin: Admin,
  given: string,
  tool: string,
  { project }: { readonly project?: string },
): Promise<number> {
  const { id, name } = await tokenOf(admin, given)
  const query = { tool, ...(project !== undefined && { project }) }
  const told = await admin.client.ask('explainToken', { params: { token: id }, query })
  const paint = paintFor(admin.context.terminal)
  const lines = told.projects.flatMap(({ project: each, endpoints, allowed, steps }) => [
    `  in the project ${each} (${endpoints.length === 0 ? 'no endpoint' : listed(endpoints)}): ${allowed ? 'yes' : 'no'}`,
    ...steps.map(({ question, ok, answer: text, remedy }) => {
      const mark = ok ? paint.green('yes') : paint.red('no ')
      return `    ${mark}  ${question} ${text}.${remedy === undefined ? '' : ` ${remedy}.`}`
    }),
  ])
  answer(admin, told, [`  ${name} ${told.allowed ? 'can' : 'cannot'} use ${tool}`, ...lines])
  return told.allowed ? EXIT.ok : EXIT.failed
}

/** The token with this id or name, whatever the case. @throws GatewayError TOKEN_NOT_FOUND */
async function tokenOf({ client }: Admin, given: string): Promise<AdminToken> {
  const { items } = await client.ask('listTokens')
  const plain = given.trim().toLowerCase()
  const found = items.find(({ id }) => id === given) ?? items.find(({ name }) => name.toLowerCase() === plain)
  if (found !== undefined) return found
  throw new GatewayError('TOKEN_NOT_FOUND', {
    reason: `no token is called ${given}`,
    remedy: 'See: tooldex token list',
  })
}

/** @throws GatewayError INVALID_ARGUMENTS */
function dateOf(text: string): number {
  const at = Date.parse(text)
  if (!Number.isNaN(at)) return at
  throw new GatewayError('INVALID_ARGUMENTS', { reason: '--expires takes a date such as 2027-01-31' })
}

function scopeOf({ kind, projects, servers, readOnly }: AdminToken): string {
  if (kind === 'admin') return 'the admin API and the commands that manage the gateway; no endpoint'
  return [
    projects === undefined ? 'all projects' : `projects ${listed(projects)}`,
    ...(servers === undefined ? [] : [`servers ${listed(servers)}`]),
    ...(readOnly ? ['read-only tools'] : []),
  ].join(', ')
}
