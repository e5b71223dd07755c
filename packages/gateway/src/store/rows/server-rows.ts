import type { ServerConfig } from '@tooldex/contract'
import type { StoredServer } from '../../model/stored-state.ts'
import type { SecretBox, SecretPlace } from '../secrets/secret-box.ts'
import { fromStorable, toStorable } from '../storable-text.ts'
import type { ServerRow } from '../tables.ts'
import { fromJson, restOf, said, toJson } from './rest-of.ts'

/** The parts of a server that are secrets. */
export const SECRET_COLUMNS = ['env', 'headers', 'auth'] as const

type SecretColumn = (typeof SECRET_COLUMNS)[number]

/** Where a secret of a server is kept. */
export function secretPlace(row: string, column: SecretColumn): SecretPlace {
  return { table: 'servers', row, column }
}

/**
 * A server as it is kept.
 * @param before what is kept now: secrets that could not be read, and are not said anew, stay as they are
 */
export function toServerRow(
  { id, createdAt, updatedAt, config }: StoredServer,
  box: SecretBox,
  before?: Pick<ServerRow, SecretColumn>,
): Omit<ServerRow, 'position'> {
  const row = toStorable(id)
  const sealed = (column: SecretColumn): string | null => {
    const value = config[column]
    if (value !== undefined) return box.seal(value, secretPlace(row, column))
    const kept = before?.[column] ?? null
    return kept !== null && box.open(kept, secretPlace(row, column)) === undefined ? kept : null
  }
  return {
    id: row,
    created_at: createdAt,
    updated_at: updatedAt,
    config: restOf(config, 'toolPermissions', ...SECRET_COLUMNS),
    tool_permissions: toJson(config.toolPermissions),
    env: sealed('env'),
    headers: sealed('headers'),
    auth: sealed('auth'),
  }
}

/** The server that a row has; without the secrets that cannot be read, which are named. */
export function fromServerRow(row: ServerRow, box: SecretBox): StoredServer {
  const unreadableSecrets: SecretColumn[] = []
  const opened = (column: SecretColumn): Record<string, string> | undefined => {
    const sealed = row[column]
    if (sealed === null) return undefined
    const found = box.open(sealed, secretPlace(row.id, column))
    if (found === undefined) unreadableSecrets.push(column)
    return found?.value as Record<string, string> | undefined
  }
  const config = {
    ...(JSON.parse(row.config) as ServerConfig),
    ...said({ env: opened('env'), headers: opened('headers'), auth: opened('auth') }),
    ...said({ toolPermissions: fromJson(row.tool_permissions) }),
  } as ServerConfig
  return {
    id: fromStorable(row.id),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    config,
    ...(unreadableSecrets.length === 0 ? {} : { unreadableSecrets }),
  }
}
