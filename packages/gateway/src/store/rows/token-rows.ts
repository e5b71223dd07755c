import type { StoredToken } from '../../model/stored-state.ts'
import { fromStorable, toStorable } from '../storable-text.ts'
import type { TokenRow } from '../tables.ts'
import { fromJson, said, toJson } from './rest-of.ts'

/** A token as it is kept. */
export function toTokenRow(token: StoredToken): Omit<TokenRow, 'position'> {
  return {
    id: toStorable(token.id),
    created_at: token.createdAt,
    updated_at: token.updatedAt,
    name: toStorable(token.name),
    kind: token.kind,
    hash: token.hash,
    projects: toJson(token.projects),
    servers: toJson(token.servers),
    read_only: token.readOnly ? 1 : 0,
    expires_at: token.expiresAt ?? null,
    last_used_at: token.lastUsedAt ?? null,
  }
}

/** The token that a row has. */
export function fromTokenRow(row: TokenRow): StoredToken {
  return {
    id: fromStorable(row.id),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    name: fromStorable(row.name),
    kind: row.kind,
    hash: row.hash,
    readOnly: row.read_only === 1,
    ...said({
      projects: fromJson<string[]>(row.projects),
      servers: fromJson<string[]>(row.servers),
      expiresAt: row.expires_at ?? undefined,
      lastUsedAt: row.last_used_at ?? undefined,
    }),
  }
}
