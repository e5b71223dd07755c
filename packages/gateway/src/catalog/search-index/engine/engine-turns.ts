import { createHash } from 'node:crypto'
import type { Store, Turn } from '../../../model/store.ts'
import type { CatalogIndex } from '../catalog-index.ts'

/** Tells the catalogs of gateways apart that keep their index in the same place. Replicas have the same one. */
export function catalogName(store: Pick<Store, 'signingKey'> | undefined, dataDir: string): string {
  const key = store?.signingKey('search catalog') ?? dataDir
  return createHash('sha256').update(key).digest('hex').slice(0, 32)
}

/** One of the gateways on a database writes to the engine of the index; a gateway by itself always does. */
export function takeTurns(
  { index }: { readonly index: Pick<CatalogIndex, 'become'> },
  store: Pick<Store, 'takeTurns'> | undefined,
): Turn | undefined {
  const turn = store?.takeTurns?.('search engine', (isOurs) => index.become(isOurs ? 'writer' : 'reader'))
  if (turn === undefined) index.become('writer')
  return turn
}
