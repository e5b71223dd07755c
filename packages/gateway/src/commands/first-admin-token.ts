import { createToken } from '../access/tokens.ts'
import type { Store } from '../model/store.ts'

const NAME = 'first admin'

/** Makes the first admin token, whose secret is to be shown once; nothing where there is one already. */
export function firstAdminToken(store: Store, now: number): Promise<string | undefined> {
  if (hasAdmin(store.current().tokens)) return Promise.resolve(undefined)
  return store.change(async (changes) => {
    // Another gateway may have been faster.
    if (hasAdmin(changes.state.tokens)) return undefined
    const { secret, hash } = createToken('admin')
    const id = `admin-${hash.slice(0, 8)}`
    await changes.putToken({ id, name: NAME, kind: 'admin', hash, readOnly: false, createdAt: now, updatedAt: now })
    return secret
  })
}

const hasAdmin = (tokens: readonly { readonly kind: string }[]): boolean => tokens.some(({ kind }) => kind === 'admin')
