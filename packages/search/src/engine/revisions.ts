import { ToolSearchError } from '../errors.ts'
import type { CatalogDelta } from './catalog-engine.ts'

/**
 * Whether an engine at a revision has a delta already, or has to take it over.
 * @throws ToolSearchError REVISION_GAP when the delta does not begin at the revision, INVALID_ARGUMENTS for one that
 * leads nowhere
 */
export function staleness({ from, to }: CatalogDelta, revision: number): 'known' | 'next' {
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || from < 0 || to <= from) {
    throw new ToolSearchError('INVALID_ARGUMENTS', {
      field: 'delta',
      reason: 'a delta leads from a revision to a later one',
    })
  }
  if (to <= revision) return 'known'
  if (from === revision) return 'next'
  const reason = `the engine is at ${revision}, the change leads from ${from} to ${to}`
  throw new ToolSearchError('REVISION_GAP', { revision, from, to, reason })
}

/** @throws ToolSearchError SEARCH_UNAVAILABLE when an engine is behind the revision that a search needs */
export function requireRevision(revision: number, atLeast = 0): void {
  if (revision >= atLeast) return
  const reason = `the engine is at revision ${revision} and has to be at ${atLeast}`
  throw new ToolSearchError('SEARCH_UNAVAILABLE', { revision, atLeast, reason })
}
