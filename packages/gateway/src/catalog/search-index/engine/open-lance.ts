import { hasCode, ToolSearchError } from '@tooldex/search'
import type { CatalogEngine } from '@tooldex/search/engine'
import type { EngineSetup } from '../thread-messages.ts'
import type { EngineToOpen } from './engine-index.ts'

/** How LanceDB is opened. */
interface LanceSetup extends EngineSetup, Omit<EngineToOpen, 'repair'> {
  readonly repair?: boolean
  readonly log: { warn(facts: Readonly<Record<string, unknown>>, message: string): void }
}

/** A name that no bundler follows: the package is installed beside the gateway, or not at all. */
const PACKAGE: string = '@tooldex/engine-lance'

/** What the package has for us. */
interface LancePackage {
  readonly openLanceEngine: (options: {
    readonly at: string
    readonly role: EngineToOpen['role']
    readonly catalog: string
    readonly model?: { readonly id: string; readonly dimensions: number }
    readonly rebuild?: boolean
    readonly repair?: boolean
    readonly storage?: Readonly<Record<string, string>>
  }) => Promise<CatalogEngine>
}

type LoadPackage = () => Promise<unknown>

/** Opens LanceDB. @throws an error that says what to do */
export async function openLance(setup: LanceSetup, load: LoadPackage = () => import(PACKAGE)): Promise<CatalogEngine> {
  const { at, role, catalog, storage, embedder, repair = false, log } = setup
  const { openLanceEngine: open } = await lancePackage(load)
  const model = embedder && { id: embedder.id, dimensions: embedder.dimensions }
  const options = { at, role, catalog, storage, repair, ...(model !== undefined && { model }) }
  if (repair)
    log.warn({ at }, 'the engine of the search index failed; what it stored is checked and its indexes are made anew')
  try {
    return await open(options)
  } catch (error) {
    if (role !== 'writer' || !isOurs(error)) throw error
    log.warn({ at, reason: (error as Error).message }, 'the stored search index cannot be used; it is written anew')
    return open({ ...options, repair: false, rebuild: true })
  }
}

async function lancePackage(load: LoadPackage): Promise<LancePackage> {
  try {
    return (await load()) as LancePackage
  } catch (cause) {
    const isMissing = (cause as { code?: unknown }).code === 'ERR_MODULE_NOT_FOUND'
    const reason = isMissing ? 'it is not installed' : `it cannot be loaded (${String(cause)})`
    const remedy = `Run "npm install ${PACKAGE}" where tooldex is installed, with -g if it is installed globally, or choose the engine "memory"`
    throw new ToolSearchError('SEARCH_UNAVAILABLE', { reason: `${PACKAGE}: ${reason}`, remedy }, { cause })
  }
}

/** Problems of an index that was ours: it can be written anew without loss. Another gateway's is left alone, and a newer one. */
const REWRITTEN: ReadonlySet<unknown> = new Set(['damaged', 'model', 'older'])

function isOurs(error: unknown): boolean {
  const { details } = error as { details?: { readonly problem?: unknown } }
  return hasCode(error, 'INVALID_STORED_CATALOG') && REWRITTEN.has(details?.problem)
}
