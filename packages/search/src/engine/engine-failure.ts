import { hasCode } from '../errors.ts'

type Detailed = { readonly message?: string; readonly details?: Readonly<Record<string, unknown>> }

/** Whether an engine failed at what it stored, which may be damaged; one that is away, late or behind did not. */
export function isStoredFailure(error: unknown): boolean {
  const { details } = error as Detailed
  return (
    hasCode(error, 'INVALID_SAVED_INDEX') || (hasCode(error, 'SEARCH_UNAVAILABLE') && details?.['problem'] === 'failed')
  )
}

/** What went wrong with an engine and what to do, as sentences. @param otherwise to do where the error does not say it */
export function engineFailureText(error: unknown, otherwise?: string): string {
  const { message, details = {} } = error as Detailed
  const reason = typeof details['reason'] === 'string' ? details['reason'] : String(message ?? error)
  const remedy = typeof details['remedy'] === 'string' ? details['remedy'] : otherwise
  return remedy === undefined || reason.includes(remedy) ? reason : `${reason}. ${remedy}`
}
