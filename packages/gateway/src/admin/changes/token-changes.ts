import { randomUUID } from 'node:crypto'
import type { NewToken, TokenPatch } from '@tooldex/contract/admin'
import { createToken } from '../../access/tokens.ts'
import { GatewayError } from '../../errors.ts'
import type { StoredToken } from '../../model/stored-state.ts'
import { type Administration, refuseTaken, refuseUnknown, type Removal } from './administration.ts'
import type { ConfiguredEntries } from './configured-entries.ts'
import { checkRevision } from './draft.ts'
import { invalidField } from './invalid-request.ts'
import { patched } from './patch.ts'

/** Changes tokens. Creates their secrets and stores only the hash. */
export class TokenChanges {
  readonly #administration: Administration
  readonly #now: () => number

  constructor(administration: Administration, now: () => number) {
    this.#administration = administration
    this.#now = now
  }

  /** @throws GatewayError NAME_TAKEN, InvalidRequest */
  async create(ask: NewToken): Promise<{ readonly id: string; readonly secret: string }> {
    const { secret, hash } = createToken(ask.kind)
    const id = await this.#administration.change(['tokens', ask.name], (draft, entries) => {
      refuseNames(ask.name, entries)
      refuseScopes(ask, entries)
      this.#refusePast(ask.expiresAt)
      if (ask.kind === 'admin' && (ask.projects ?? ask.servers ?? ask.tools) !== undefined) {
        throw invalidField(
          'kind',
          'an admin token cannot have projects, servers or tools: it is not valid for endpoints',
        )
      }
      const { name, kind, projects, servers, tools, readOnly, expiresAt } = ask
      return draft.putToken({
        id: randomUUID(),
        name,
        kind,
        hash,
        readOnly,
        ...(projects !== undefined && { projects }),
        ...(servers !== undefined && { servers }),
        ...(tools !== undefined && { tools }),
        ...(expiresAt !== undefined && { expiresAt }),
      }).id
    })
    return { id, secret }
  }

  /** @throws GatewayError TOKEN_NOT_FOUND, NAME_TAKEN, FILE_MANAGED, REVISION_CONFLICT, InvalidRequest */
  change(id: string, patch: TokenPatch, revision?: string): Promise<void> {
    return this.#administration.change(['tokens', id], (draft, entries) => {
      const { stored, ...token } = entries.token(id)
      entries.refuseFileManaged('token', token)
      checkRevision(stored, revision)
      if (patch.name !== undefined) refuseNames(patch.name, entries, id)
      refuseScopes(patch, entries)
      this.#refusePast(patch.expiresAt)
      if (stored === undefined) return
      const { createdAt: _created, updatedAt: _updated, ...rest } = stored
      draft.putToken(patched(rest, patch))
    })
  }

  /** @throws GatewayError TOKEN_NOT_FOUND, FILE_MANAGED, LAST_ADMIN_TOKEN, REVISION_CONFLICT */
  revoke(id: string, revision?: string): Promise<Removal> {
    return this.#administration.change(['tokens', id], (draft, entries) => {
      const token = entries.token(id)
      entries.refuseFileManaged('token', token)
      checkRevision(token.stored, revision)
      if (token.kind === 'admin' && !this.#leavesAdmin(draft.state.tokens, id)) {
        throw new GatewayError('LAST_ADMIN_TOKEN', { token: id, remedy: 'Create another admin token first' })
      }
      draft.removeToken(id)
      return { removed: id, alsoRemoved: [], narrowed: [] }
    })
  }

  #leavesAdmin(tokens: readonly StoredToken[], id: string): boolean {
    const now = this.#now()
    return tokens.some(
      (token) => token.kind === 'admin' && token.id !== id && (token.expiresAt === undefined || token.expiresAt > now),
    )
  }

  #refusePast(expiresAt: number | undefined): void {
    if (expiresAt !== undefined && expiresAt <= this.#now()) throw invalidField('expiresAt', 'must be in the future')
  }
}

/** Names are unique, because people and audit entries identify tokens by name. */
function refuseNames(name: string, entries: ConfiguredEntries, self?: string): void {
  const others = entries.tokens().filter(({ id }) => id !== self)
  refuseTaken(
    { what: 'token', field: 'name', name },
    others.flatMap((token) => [token.name, token.id]),
  )
  if (name.toLowerCase() === 'local') throw invalidField('name', 'is for the program’s own commands; take another')
}

function refuseScopes(
  { projects = [], servers = [] }: Pick<TokenPatch, 'projects' | 'servers'>,
  entries: ConfiguredEntries,
) {
  refuseUnknown(
    'projects',
    'project',
    projects,
    entries.projects().map(({ id }) => id),
  )
  refuseUnknown(
    'servers',
    'server',
    servers,
    entries.servers().map(({ id }) => id),
  )
}
