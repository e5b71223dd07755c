import { isJwtSubject, subjectOf } from '../../access/jwt-principal.ts'
import { ANONYMOUS } from '../../clients/http/guards.ts'
import { LOCAL_ADMIN } from '../access/admin-caller.ts'
import type { AdminContext } from './admin-context.ts'
import { ADMIN_ENDPOINT, isInternalEndpoint } from './endpoints.ts'

/** The current names of ids; undefined for removed entries. */
export interface CurrentNames {
  token(id: string): string | undefined
  project(id: string): string | undefined
  endpoint(id: string): string | undefined
  server(id: string): string | undefined
}

/** Audited callers without a token of their own. */
const WITHOUT_TOKEN = [LOCAL_ADMIN, ANONYMOUS].map(({ tokenId, name }) => [tokenId, name] as const)

/** Takes the current names. */
export function currentNames({ entries }: Pick<AdminContext, 'entries'>): CurrentNames {
  const tokens = new Map([...WITHOUT_TOKEN, ...entries.tokens().map(({ id, name }) => [id, name] as const)])
  const projects = new Map(entries.projects().map(({ id, config }) => [id, config.name ?? id]))
  const endpoints = new Set(entries.endpoints().map(({ id }) => id))
  const servers = new Map(entries.servers().map(({ id, config }) => [id, config.name ?? id]))
  return {
    token: (id) => tokens.get(id) ?? (isJwtSubject(id) ? subjectOf(id) : undefined),
    project: (id) => projects.get(id),
    endpoint: (id) => (endpoints.has(id) || id === ADMIN_ENDPOINT || isInternalEndpoint(id) ? id : undefined),
    server: (id) => servers.get(id),
  }
}
