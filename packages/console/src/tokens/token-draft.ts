import type { AdminRole, AdminToken, RouteBodyInput } from '@tooldex/contract/admin'

/** The state of a token form. */
export interface TokenDraft {
  readonly name: string
  readonly kind: 'client' | 'admin'
  /** Of an admin token. */
  readonly role: AdminRole
  /** undefined = all. */
  readonly projects: readonly string[] | undefined
  readonly servers: readonly string[] | undefined
  /** Tool keys, one a line; undefined = all. */
  readonly tools: string | undefined
  readonly readOnly: boolean
  /** In the format of a date field; empty = never. */
  readonly expires: string
}

/** The fields that a problem can refer to. */
export const TOKEN_FIELDS = ['name', 'role', 'projects', 'servers', 'tools', 'expiresAt']

/** The initial state for a new token. */
export const NEW_TOKEN: TokenDraft = {
  name: '',
  kind: 'client',
  // A person gets the rights that somebody chose, never all by oversight.
  role: 'reader',
  projects: undefined,
  servers: undefined,
  tools: undefined,
  readOnly: false,
  expires: '',
}

/** The initial state for changing a token. */
export function draftOf(token: AdminToken): TokenDraft {
  return {
    name: token.name,
    kind: token.kind,
    role: token.role ?? 'administrator',
    projects: token.projects,
    servers: token.servers,
    tools: token.tools?.join('\n'),
    readOnly: token.readOnly,
    expires: token.expiresAt === undefined ? '' : localDate(token.expiresAt),
  }
}

/** The request body that creates a token. */
export function newTokenOf(draft: TokenDraft): RouteBodyInput<'createToken'> {
  const { name, kind, role } = draft
  return kind === 'admin'
    ? { name, kind, role, ...expiry(draft) }
    : { name, kind, readOnly: draft.readOnly, ...scopes(draft), ...expiry(draft) }
}

/** The request body that changes a token. `unset` names the scopes to remove. */
export function patchOf(draft: TokenDraft): RouteBodyInput<'changeToken'> {
  const lifted = (['projects', 'servers', 'tools'] as const).filter((scope) => draft[scope] === undefined)
  const unset = [...lifted, ...(draft.expires === '' ? (['expiresAt'] as const) : [])]
  const common = { name: draft.name, ...expiry(draft), ...(unset.length > 0 && { unset }) }
  return draft.kind === 'admin'
    ? { ...common, role: draft.role }
    : { ...common, readOnly: draft.readOnly, ...scopes(draft) }
}

function scopes({ projects, servers, tools }: TokenDraft): {
  projects?: string[]
  servers?: string[]
  tools?: string[]
} {
  return {
    ...(projects !== undefined && { projects: [...projects] }),
    ...(servers !== undefined && { servers: [...servers] }),
    ...(tools !== undefined && {
      tools: tools
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== ''),
    }),
  }
}

function expiry({ expires }: TokenDraft): { expiresAt?: number } {
  return expires === '' ? {} : { expiresAt: new Date(expires).getTime() }
}

/** A timestamp in the format of a date-and-time field, in the local time zone. */
function localDate(at: number): string {
  const offset = new Date(at).getTimezoneOffset() * 60_000
  return new Date(at - offset).toISOString().slice(0, 16)
}
