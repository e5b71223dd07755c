import { hasCode } from '../errors.ts'

/** Whether an engine failed at what it stored, which may be damaged; one that is away, late or behind did not. */
export function isStoredFailure(error: unknown): boolean {
  const { details } = error as { readonly details?: { readonly problem?: unknown } }
  return (
    hasCode(error, 'INVALID_SAVED_INDEX') || (hasCode(error, 'SEARCH_UNAVAILABLE') && details?.problem === 'failed')
  )
}
