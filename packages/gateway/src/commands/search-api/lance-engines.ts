import { readdir, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import type { CatalogEngines } from '@tooldex/search-api'
import { openLance } from '../../catalog/search-index/engine/open-lance.ts'

/** The place of the engines, and what they report to. */
interface LanceEnginesParts {
  /** An absolute folder, or the URL of an object store. */
  readonly at: string
  readonly log: { warn(facts: Readonly<Record<string, unknown>>, message: string): void }
  /** Absent: no other instance uses the folder. */
  readonly alone: CatalogEngines['alone']
  /** Epoch milliseconds. */
  readonly now?: () => number
}

/** The folder of a catalog; others in the same place are not ours to delete. */
const CATALOG_FOLDER = /^[0-9a-f]{64}-[0-9a-f]{8}$/
/** A day longer than the database keeps an unused catalog. */
const UNUSED_MS = 8 * 24 * 60 * 60 * 1_000

/** LanceDB for the uploaded catalogs of the Search API: a folder for each in one place. */
export function lanceEngines({ at, log, alone, now = Date.now }: LanceEnginesParts): CatalogEngines {
  const isFolder = !at.includes('://')
  const placeOf = (name: string): string => (isFolder ? join(at, name) : `${at.replace(/\/+$/, '')}/${name}`)
  const use = async (name: string): Promise<void> => {
    const seconds = now() / 1_000
    // One that is not there yet begins to be used when it is written.
    if (isFolder) await utimes(placeOf(name), seconds, seconds).catch(() => {})
  }
  const tidy = async (inUse: readonly string[]): Promise<void> => {
    for (const name of inUse) await use(name)
    for (const name of await readdir(at).catch(() => [])) {
      const folder = placeOf(name)
      if (!CATALOG_FOLDER.test(name) || now() - (await stat(folder)).mtimeMs < UNUSED_MS) continue
      await rm(folder, { recursive: true, force: true })
    }
  }
  return {
    open: async ({ name, ...asked }) => {
      await use(name)
      return openLance({ at: placeOf(name), catalog: name, storage: {}, ...asked, log })
    },
    ...(alone !== undefined && { alone }),
    ...(isFolder && { tidy }),
  }
}
