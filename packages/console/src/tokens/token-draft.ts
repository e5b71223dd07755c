import type { AdminToken, RouteBodyInput } from '@tooldex/contract/admin'

/** What a form about a token holds. */
export interface TokenDraft {
  readonly name: string
  readonly kind: 'client' | 'admin'
  /** undefined = all. */
  readonly projects: readonly string[] | undefined
  readonly servers: readonly string[] | undefined
  readonly readOnly: boolean
  /** As a date field has it; empty = never. */
  readonly expires: string
}

/** Fields that a refusal may be about. */
export const TOKEN_FIELDS = ['name', 'projects', 'servers', 'expiresAt']

/** A form for a new token. */
export const NEW_TOKEN: TokenDraft = {
  name: '',
  kind: 'client',
  projects: undefined,
  servers: undefined,
  readOnly: false,
  expires: '',
}

/** A form for changing a token. */
export function draftOf(token: AdminToken): TokenDraft {
  return {
    name: token.name,
    kind: token.kind,
    projects: token.projects,
    servers: token.servers,
    readOnly: token.readOnly,
    expires: token.expiresAt === undefined ? '' : localDate(token.expiresAt),
  }
}

/** What is sent to make a token. */
export function newTokenOf(draft: TokenDraft): RouteBodyInput<'createToken'> {
  const { name, kind } = draft
  return kind === 'admin'
    ? { name, kind, ...expiry(draft) }
    : { name, kind, readOnly: draft.readOnly, ...scopes(draft), ...expiry(draft) }
}

/** What is sent to change a token: scopes that are lifted are named, or they would stay. */
export function patchOf(draft: TokenDraft): RouteBodyInput<'changeToken'> {
  const lifted = (['projects', 'servers'] as const).filter((scope) => draft[scope] === undefined)
  const unset = [...lifted, ...(draft.expires === '' ? (['expiresAt'] as const) : [])]
  const common = { name: draft.name, ...expiry(draft), ...(unset.length > 0 && { unset }) }
  return draft.kind === 'admin' ? common : { ...common, readOnly: draft.readOnly, ...scopes(draft) }
}

function scopes({ projects, servers }: TokenDraft): { projects?: string[]; servers?: string[] } {
  return {
    ...(projects !== undefined && { projects: [...projects] }),
    ...(servers !== undefined && { servers: [...servers] }),
  }
}

function expiry({ expires }: TokenDraft): { expiresAt?: number } {
  return expires === '' ? {} : { expiresAt: new Date(expires).getTime() }
}

/** A moment as a date-and-time field has it, in the time zone of the person. */
function localDate(at: number): string {
  const offset = new Date(at).getTimezoneOffset() * 60_000
  return new Date(at - offset).toISOString().slice(0, 16)
}
