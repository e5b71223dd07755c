import { ADMIN_ROLES, type AdminRole, type AdminToken, type TokenExplanation } from '@tooldex/contract/admin'
import { explainAccess } from '../../access/explain-access.ts'
import { toCursor } from '../../list-page.ts'
import type { Principal } from '../../model/principal.ts'
import { roleOf } from '../access/admin-caller.ts'
import { requireFreshProof } from '../access/fresh-proof.ts'
import { type ConfiguredToken, entryMetadata } from '../changes/configured-entries.ts'
import { atField } from '../changes/invalid-request.ts'
import { TokenChanges } from '../changes/token-changes.ts'
import type { AdminContext, Handlers } from './admin-context.ts'
import { keyAfter } from './list-pages.ts'
import { isInternalEndpoint } from '../../model/endpoint.ts'

/** Routes about tokens. */
export function tokenHandlers(context: AdminContext) {
  const changes = new TokenChanges(context.administration, context.parts.now)
  const answers = async (tokens: readonly ConfiguredToken[]): Promise<AdminToken[]> => {
    const uses = await context.parts.store.lastUses(
      tokens.filter(({ stored }) => stored !== undefined).map(({ id }) => id),
    )
    return tokens.map((token) => tokenAnswer(token, uses.get(token.id), context))
  }
  const one = async (id: string): Promise<AdminToken> => {
    const token = context.entries.token(id)
    const [answer] = await answers([token])
    return answer ?? tokenAnswer(token, undefined, context)
  }
  return {
    listTokens: async ({ query }) => {
      const { entries } = context
      const { items, nextKey } = entries.tokenPage(keyAfter(query.cursor), query.limit)
      return { items: await answers(items), ...(nextKey !== undefined && { nextCursor: toCursor([nextKey]) }) }
    },
    getToken: ({ params }) => one(params.token),
    createToken: async ({ body, caller }) => {
      if (body.kind === 'admin') requireFreshProof(caller, 'an admin token is valid longer than a session')
      const { id, secret } = await changes.create(body)
      return { secret, token: await one(id) }
    },
    changeToken: async ({ params, body, revision, caller }) => {
      if (isRaised(context.entries.token(params.token), body.role)) {
        requireFreshProof(caller, 'a role is valid longer than a session')
      }
      await changes.change(params.token, body, revision)
      return one(params.token)
    },
    rotateToken: async ({ params, body, revision, caller }) => {
      if (context.entries.token(params.token).kind === 'admin') requireFreshProof(caller, 'an admin token is rotated')
      const { secret, previousId } = await changes.rotate(params.token, body.overlapMs, revision)
      const previous = previousId === undefined ? {} : { previous: await one(previousId) }
      return { secret, token: await one(params.token), ...previous }
    },
    revokeToken: ({ params, revision }) => changes.revoke(params.token, revision),
    explainToken: ({ params, query }) => explainToken(context.entries.token(params.token), query, context),
  } satisfies Partial<Handlers>
}

/** Whether a change would give an admin token more rights. */
function isRaised(token: ConfiguredToken, role: AdminRole | undefined): boolean {
  return role !== undefined && ADMIN_ROLES.indexOf(role) > ADMIN_ROLES.indexOf(roleOf(token))
}

/** A token as the API shows it, without secret and hash. */
function tokenAnswer(token: ConfiguredToken, lastUsedAt: number | undefined, context: AdminContext): AdminToken {
  const { id, name, kind, projects, servers, tools, readOnly, expiresAt } = token
  return {
    id,
    name,
    kind,
    ...(kind === 'admin' && { role: roleOf(token) }),
    ...entryMetadata(token, context.entries),
    ...(projects !== undefined && { projects: [...projects] }),
    ...(servers !== undefined && { servers: [...servers] }),
    ...(tools !== undefined && { tools: [...tools] }),
    readOnly,
    ...(expiresAt !== undefined && { expiresAt }),
    isExpired: expiresAt !== undefined && expiresAt <= context.parts.now(),
    ...(lastUsedAt !== undefined && { lastUsedAt }),
  }
}

/** A principal with the rights of a token, for previews. Another `tokenId` keeps audit entries apart. */
export function principalLike(token: ConfiguredToken, tokenId: string = token.id): Principal {
  const { name, projects, servers, tools, readOnly, expiresAt } = token
  return {
    tokenId,
    name,
    readOnly,
    ...(projects !== undefined && { projects: new Set(projects) }),
    ...(servers !== undefined && { servers: new Set(servers) }),
    ...(tools !== undefined && { tools: new Set(tools) }),
    ...(expiresAt !== undefined && { expiresAt }),
  }
}

/** Explains why a token can or cannot use a tool, through one project or each. */
function explainToken(
  token: ConfiguredToken,
  { tool, project: only }: { readonly tool: string; readonly project?: string | undefined },
  context: AdminContext,
): TokenExplanation {
  const { projects, endpoints, serverTools } = context.model
  const principal = principalLike(token)
  const asked = only === undefined ? [...projects.values()] : [atField('project', () => context.project(only))]
  const isAdmin = token.kind === 'admin'
  const answers = asked.map((project) => {
    const basis = { principal, project, projects, serverTools, catalog: context.catalog, now: context.parts.now() }
    const steps = [
      ...(isAdmin ? [ADMIN_STEP] : []),
      ...explainAccess(tool, { ...basis, troubleOf: (id) => context.statusOf(id) }),
    ]
    const through = [...endpoints.values()].filter(
      ({ id, projectId }) => projectId === project.id && !isInternalEndpoint(id),
    )
    return {
      project: project.id,
      name: project.name,
      endpoints: through.map(({ id }) => id),
      allowed: steps.every(({ ok }) => ok),
      steps: [...steps],
    }
  })
  return { token: token.id, tool, allowed: answers.some(({ allowed }) => allowed), projects: answers }
}

const ADMIN_STEP = {
  question: 'Is the token valid for endpoints?',
  ok: false,
  answer: 'It is an admin token, which is valid for the admin API only',
  remedy: 'Create a client token',
}
