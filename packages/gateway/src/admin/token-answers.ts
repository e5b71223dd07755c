import type { AdminToken, TokenExplanation } from '@tooldex/contract/admin'
import type { Principal } from '../model/principal.ts'
import { explainAccess } from '../access/explain-access.ts'
import type { ConfiguredToken } from './configured-entries.ts'
import { entryFacts } from './entry-facts.ts'
import { atField } from './invalid-request.ts'
import type { AdminPicture } from './picture.ts'

/** A token as the API shows it: never its secret, nor the hash. */
export function tokenAnswer(token: ConfiguredToken, picture: AdminPicture): AdminToken {
  const { id, name, kind, projects, servers, readOnly, expiresAt, lastUsedAt } = token
  return {
    id,
    name,
    kind,
    ...entryFacts(token, picture.entries),
    ...(projects !== undefined && { projects: [...projects] }),
    ...(servers !== undefined && { servers: [...servers] }),
    readOnly,
    ...(expiresAt !== undefined && { expiresAt }),
    isExpired: expiresAt !== undefined && expiresAt <= picture.parts.now(),
    ...(lastUsedAt !== undefined && { lastUsedAt }),
  }
}

/** What a token may do, for previews: under the id of whoever looks, so that audit entries are not its own. */
export function principalLike(token: ConfiguredToken, tokenId: string = token.id): Principal {
  const { name, projects, servers, readOnly, expiresAt } = token
  return {
    tokenId,
    name,
    readOnly,
    ...(projects !== undefined && { projects: new Set(projects) }),
    ...(servers !== undefined && { servers: new Set(servers) }),
    ...(expiresAt !== undefined && { expiresAt }),
  }
}

/** Why a token can or cannot use a tool, through one project or each. */
export function explainToken(
  token: ConfiguredToken,
  { tool, project: only }: { readonly tool: string; readonly project?: string | undefined },
  picture: AdminPicture,
): TokenExplanation {
  const { projects, endpoints, serverTools } = picture.model
  const principal = principalLike(token)
  const asked = only === undefined ? [...projects.values()] : [atField('project', () => picture.project(only))]
  const isAdmin = token.kind === 'admin'
  const answers = asked.map((project) => {
    const basis = { principal, project, serverTools, catalog: picture.catalog, now: picture.parts.now() }
    const steps = [
      ...(isAdmin ? [ADMIN_STEP] : []),
      ...explainAccess(tool, { ...basis, troubleOf: (id) => picture.statusOf(id) }),
    ]
    const through = [...endpoints.values()].filter(({ id, projectId }) => projectId === project.id && !isOwn(id))
    return {
      project: project.id,
      endpoints: through.map(({ id }) => id),
      allowed: steps.every(({ ok }) => ok),
      steps: [...steps],
    }
  })
  return { token: token.id, tool, allowed: answers.some(({ allowed }) => allowed), projects: answers }
}

/** Endpoints of the program's own commands are nobody else's business. */
export const isOwn = (endpointId: string): boolean => endpointId.startsWith('local.')

const ADMIN_STEP = {
  question: 'Does the token open endpoints?',
  ok: false,
  answer: 'It is an admin token: it opens the admin API and nothing else',
  remedy: 'Make a client token',
}
