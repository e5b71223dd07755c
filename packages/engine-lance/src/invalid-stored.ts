import { ToolSearchError } from '@tooldex/search'

/** An INVALID_STORED_CATALOG error. */
export function invalidStored(problem: string, reason: string, remedy: string, cause?: unknown): ToolSearchError {
  const options = cause === undefined ? undefined : { cause }
  return new ToolSearchError('INVALID_STORED_CATALOG', { problem, reason: `${reason}; ${remedy}`, remedy }, options)
}
