import type { AdminToken, TokenExplanation } from '@tooldex/contract/admin'
import { explainAccess } from '../../access/explain-access.ts'
import type { Principal } from '../../model/principal.ts'
import { requireFreshProof } from '../access/fresh-proof.ts'
import { type ConfiguredToken, entryMetadata } from '../changes/configured-entries.ts'
import { atField } from '../changes/invalid-request.ts'
import { TokenChanges } from '../changes/token-changes.ts'
import type { AdminContext, Handlers } from './admin-context.ts'
import { isInternalEndpoint } from '../../model/endpoint.ts'

/** Routes about tokens. */
export function tokenHandlers(context: AdminContext) {
  const changes = new TokenChanges(context.administration, context.parts.now)
  const one = (id: string): AdminToken => tokenAnswer(context.entries.token(id), context)
  return {
    listTokens: () => ({ items: context.entries.tokens().map((token) => tokenAnswer(token, context)) }),
    getToken: ({ params }) => one(params.token),
    createToken: async ({ body, caller }) => {
      if (body.kind === 'admin') requireFreshProof(caller, 'an admin token is valid longer than a session')
      const { id, secret } = await changes.create(body)
      return { secret, token: one(id) }
    },
    changeToken: async ({ params, body, revision }) => {
      await changes.change(params.token, body, revision)
      return one(params.token)
    },
    revokeToken: ({ params, revision }) => changes.revoke(params.token, revision),
    explainToken: ({ params, query }) => explainToken(context.entries.token(params.token), query, context),
  } satisfies Partial<Handlers>
}

/** A token as the API shows it, without secret and hash. */
function tokenAnswer(token: ConfiguredToken, context: AdminContext): AdminToken {
  const { id, name, kind, projects, servers, tools, readOnly, expiresAt, lastUsedAt } = token
  return {
    id,
    name,
    kind,
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
    const basis = { principal, project, serverTools, catalog: context.catalog, now: context.parts.now() }
    const steps = [
      ...(isAdmin ? [ADMIN_STEP] : []),
      ...explainAccess(tool, { ...basis, troubleOf: (id) => context.statusOf(id) }),
    ]
    const through = [...endpoints.values()].filter(
      ({ id, projectId }) => projectId === project.id && !isInternalEndpoint(id),
    )
    return {
      project: project.id,
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
