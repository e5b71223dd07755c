import type { Sql } from './flavour.ts'
import { SECRET_COLUMNS, secretPlace } from './rows/server-rows.ts'
import type { SecretBox, SecretPlace } from './secrets/secret-box.ts'
import { loginPlace } from './sql-logins.ts'

/** Encrypts with the key in use what another key encrypted. What cannot be read stays as it is. */
export async function rotateSecrets(transaction: Sql, box: SecretBox): Promise<number> {
  let rotated = 0
  const renewed = (sealed: string | null, place: SecretPlace): string | undefined => {
    if (sealed === null || box.isCurrent(sealed)) return undefined
    const opened = box.open(sealed, place)
    return opened === undefined ? undefined : box.seal(opened.value, place)
  }
  for (const { id, ...secrets } of await transaction.selectFrom('servers').select(['id', 'env', 'headers']).execute()) {
    for (const column of SECRET_COLUMNS) {
      const sealed = renewed(secrets[column], secretPlace(id, column))
      if (sealed === undefined) continue
      await transaction
        .updateTable('servers')
        .set({ [column]: sealed })
        .where('id', '=', id)
        .execute()
      rotated++
    }
  }
  for (const row of await transaction.selectFrom('logins').select(['server_id', 'login']).execute()) {
    const login = renewed(row.login, loginPlace(row.server_id))
    if (login === undefined) continue
    await transaction.updateTable('logins').set({ login }).where('server_id', '=', row.server_id).execute()
    rotated++
  }
  return rotated
}
