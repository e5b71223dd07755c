import type { Store } from '../../model/store.ts'

/** Notes the use of stored tokens; tokens of the file and of identity providers have no record. */
export function storedUses(store: Pick<Store, 'current' | 'noteTokenUse'>): (tokenId: string, at: number) => void {
  let state = store.current()
  let ids = new Set(state.tokens.map(({ id }) => id))
  return (tokenId, at) => {
    if (state !== store.current()) {
      state = store.current()
      ids = new Set(state.tokens.map(({ id }) => id))
    }
    if (ids.has(tokenId)) store.noteTokenUse(tokenId, at)
  }
}
