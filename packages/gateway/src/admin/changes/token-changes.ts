import { randomUUID } from 'node:crypto'
import type { AdminRole, NewToken, TokenPatch } from '@tooldex/contract/admin'
import { createToken, hasExpired } from '../../access/tokens.ts'
import { GatewayError } from '../../errors.ts'
import type { StoredToken } from '../../model/stored-state.ts'
import { type Administration, refuseTaken, refuseUnknown, type Removal } from './administration.ts'
import type { ConfiguredEntries } from './configured-entries.ts'
import { checkRevision, type Draft } from './draft.ts'
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
      refuseRoleOfClient(ask.kind, ask.role)
      const { name, kind, projects, servers, tools, readOnly, expiresAt } = ask
      return draft.putToken({
        id: randomUUID(),
        name,
        kind,
        hash,
        ...storedRole(ask.role),
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
      refuseRoleOfClient(stored.kind, patch.role)
      const { createdAt: _created, updatedAt: _updated, role: old, ...rest } = stored
      const { role, ...others } = patch
      if (role !== undefined && role !== 'administrator') this.#refuseLast(stored, draft)
      draft.putToken({ ...patched(rest, others), ...storedRole(role ?? old) })
    })
  }

  /**
   * Gives a token a new secret. The old one becomes a token of its own, with the same rights, until the overlap is over.
   * @throws GatewayError TOKEN_NOT_FOUND, FILE_MANAGED, REVISION_CONFLICT
   */
  async rotate(
    id: string,
    overlapMs: number,
    revision?: string,
  ): Promise<{ readonly secret: string; readonly previousId?: string }> {
    const { secret, previousId } = await this.#administration.change(['tokens', id], (draft, entries) => {
      const { stored, ...token } = entries.token(id)
      entries.refuseFileManaged('token', token)
      checkRevision(stored, revision)
      if (stored === undefined) throw new GatewayError('TOKEN_NOT_FOUND', { token: id })
      const { createdAt: _created, updatedAt: _updated, ...rest } = stored
      const made = createToken(stored.kind)
      draft.putToken({ ...rest, hash: made.hash })
      const until = Math.min(this.#now() + overlapMs, stored.expiresAt ?? Number.POSITIVE_INFINITY)
      if (until <= this.#now()) return { secret: made.secret, previousId: undefined }
      const name = previousName(stored.name, this.#now(), entries)
      const previous = draft.putToken({ ...rest, id: randomUUID(), name, hash: stored.hash, expiresAt: until })
      return { secret: made.secret, previousId: previous.id }
    })
    return { secret, ...(previousId !== undefined && { previousId }) }
  }

  /** @throws GatewayError TOKEN_NOT_FOUND, FILE_MANAGED, LAST_ADMIN_TOKEN, REVISION_CONFLICT */
  revoke(id: string, revision?: string): Promise<Removal> {
    return this.#administration.change(['tokens', id], (draft, entries) => {
      const token = entries.token(id)
      entries.refuseFileManaged('token', token)
      checkRevision(token.stored, revision)
      if (token.stored !== undefined) this.#refuseLast(token.stored, draft)
      draft.removeToken(id)
      return { removed: id, alsoRemoved: [], narrowed: [] }
    })
  }

  /** One administrator must be left: no other role can create tokens. @throws GatewayError LAST_ADMIN_TOKEN */
  #refuseLast(token: StoredToken, { state }: Pick<Draft, 'state'>): void {
    const isAdministrator = ({ kind, role }: StoredToken): boolean => kind === 'admin' && role === undefined
    if (!isAdministrator(token)) return
    const others = state.tokens.admins.filter((each) => each.id !== token.id && isAdministrator(each))
    if (others.some((each) => !hasExpired(each, this.#now()))) return
    throw new GatewayError('LAST_ADMIN_TOKEN', {
      token: token.id,
      reason: 'it is the only administrator',
      remedy: 'Create another admin token first',
    })
  }

  #refusePast(expiresAt: number | undefined): void {
    if (expiresAt !== undefined && expiresAt <= this.#now()) throw invalidField('expiresAt', 'must be in the future')
  }
}

/** An administrator has no stored role, like the tokens of earlier releases. */
function storedRole(role: AdminRole | undefined): Pick<StoredToken, 'role'> {
  return role === undefined || role === 'administrator' ? {} : { role }
}

/** @throws InvalidRequest */
function refuseRoleOfClient(kind: StoredToken['kind'], role: AdminRole | undefined): void {
  if (kind === 'client' && role !== undefined) {
    throw invalidField('role', 'is for admin tokens: a client token is not valid for the admin API')
  }
}

/** Names are unique, because people and audit entries identify tokens by name. */
function refuseNames(name: string, entries: ConfiguredEntries, self?: string): void {
  const other = entries.tokenNamed(name)
  if (other !== undefined && other.id !== self)
    refuseTaken({ what: 'token', field: 'name', name }, [other.name, other.id])
  if (name.toLowerCase() === 'local') throw invalidField('name', 'is for the program’s own commands; take another')
}

/** A name that says what the old secret was for, and until when; unique, also after several rotations of a day. */
function previousName(name: string, now: number, entries: ConfiguredEntries): string {
  const base = `${name.slice(0, 160)} (before ${new Date(now).toISOString().slice(0, 10)})`
  for (let number = 1; ; number++) {
    const tried = number === 1 ? base : `${base} ${number}`
    if (entries.tokenNamed(tried) === undefined) return tried
  }
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
