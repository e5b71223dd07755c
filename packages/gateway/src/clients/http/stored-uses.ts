import type { Store } from '../../model/store.ts'

/** Notes the use of stored tokens; tokens of the file and of identity providers have no record. */
export function storedUses(store: Pick<Store, 'current' | 'noteTokenUse'>): (tokenId: string, at: number) => void {
  return (tokenId, at) => {
    if (store.current().tokens.get(tokenId) !== undefined) store.noteTokenUse(tokenId, at)
  }
}
