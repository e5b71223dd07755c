import { isRecord } from './is-record.ts'

/** Every code this library throws; `docs/reference/errors.md` explains each. */
export type ToolSearchErrorCode = keyof typeof MESSAGES

const MESSAGES = {
  NOT_FOUND: 'No such tool, backend or namespace',
  INVALID_TOOL: 'The tool definition is not valid',
  INVALID_BACKEND: 'The backend lacks a field that its kind needs',
  INVALID_CURSOR: 'The cursor cannot be used here',
  INVALID_TOOL_KEY: 'A tool key is serverId:toolName',
  INVALID_ARGUMENTS: 'The arguments are not valid',
  NON_DETERMINISTIC_SEARCHER: 'Paging needs a provider that answers the same question the same way',
  SEARCH_UNAVAILABLE: 'The search provider cannot answer now',
  EMBEDDER_FAILED: 'The embedder cannot turn texts into vectors',
  INVALID_SAVED_INDEX: 'The saved index cannot be loaded',
  REVISION_GAP: 'The change does not begin where the engine is',
  INVALID_STORED_CATALOG: 'The stored catalog cannot be used',
} as const

/** Public facts about a failure: what it was about and what to do. Never secrets, never a cause. */
export type ErrorDetails = Readonly<Record<string, string | number>>

/** The one error this library throws. Match on `code`, never on the message or the class. */
export class ToolSearchError extends Error {
  override readonly name = 'ToolSearchError'
  readonly code: ToolSearchErrorCode
  readonly details: ErrorDetails

  constructor(code: ToolSearchErrorCode, details: ErrorDetails = {}, options?: ErrorOptions) {
    super(details['reason'] === undefined ? MESSAGES[code] : `${MESSAGES[code]}: ${details['reason']}`, options)
    this.code = code
    this.details = details
  }
}

/** Whether `error` carries one of our codes; works across copies of this package. */
export function hasCode(error: unknown, code: ToolSearchErrorCode): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code
}

/**
 * Refuses options that do not exist: a misspelt one would otherwise have no effect, silently.
 * @throws ToolSearchError INVALID_ARGUMENTS
 */
export function refuseUnknown(options: unknown, known: readonly string[]): void {
  if (!isRecord(options)) {
    throw new ToolSearchError('INVALID_ARGUMENTS', { reason: `an object is needed with some of ${known.join(', ')}` })
  }
  const unknown = Object.keys(options)
    .find((name) => !known.includes(name))
    ?.slice(0, 100)
  if (unknown === undefined) return
  const reason = `there is no option ${unknown}, only ${known.join(', ')}`
  throw new ToolSearchError('INVALID_ARGUMENTS', { field: unknown, reason })
}

/** All codes, for tables that must be total and for the docs check. */
export const TOOL_SEARCH_ERROR_CODES = Object.keys(MESSAGES) as readonly ToolSearchErrorCode[]
