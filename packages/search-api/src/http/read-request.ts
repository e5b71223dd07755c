import { type ProblemField, type SearchApiRequest, searchApiRequestSchema } from '@tooldex/contract/search-api'
import { ProblemError } from '../problem-error.ts'

/** More would not help anybody to correct a request. */
const MOST_FIELDS = 20

/**
 * The request that a body holds. Fields that are not known are ignored.
 * @throws ProblemError REQUEST_INVALID with the fields that are to blame; REQUEST_TOO_LARGE for too many tools
 */
export function readRequest(body: unknown, maxTools: number): SearchApiRequest {
  const { tools } = (typeof body === 'object' && body !== null ? body : {}) as { tools?: unknown }
  if (Array.isArray(tools) && tools.length > maxTools) {
    throw invalid('REQUEST_TOO_LARGE', [{ field: 'tools', message: `has more than ${maxTools} entries` }])
  }
  const { data, error } = searchApiRequestSchema.safeParse(body, { reportInput: true })
  if (data !== undefined) return data
  throw invalid('REQUEST_INVALID', error.issues.slice(0, MOST_FIELDS).map(toField))
}

/** What is wrong in which fields. */
export function invalid(code: 'REQUEST_INVALID' | 'REQUEST_TOO_LARGE', errors: readonly ProblemField[]): ProblemError {
  const detail = errors.map(({ field, message }) => `${field} ${message}`).join('; ')
  return new ProblemError(code, `${detail}.`, { errors })
}

interface Issue {
  readonly path: readonly PropertyKey[]
  readonly message: string
  readonly code?: string
  readonly input?: unknown
  readonly expected?: string
  readonly maximum?: number | bigint
  readonly origin?: string
}

function toField(issue: Issue): ProblemField {
  return { field: fieldOf(issue.path), message: messageOf(issue) }
}

/** The place in the body: `tools[3].toolKey`. */
function fieldOf(path: readonly PropertyKey[]): string {
  let field = ''
  for (const part of path) field += typeof part === 'number' ? `[${part}]` : `${field === '' ? '' : '.'}${String(part)}`
  return field === '' ? 'body' : field
}

const KINDS: ReadonlyMap<string | undefined, string> = new Map([
  ['string', 'a text'],
  ['number', 'a number'],
  ['array', 'a list'],
  ['object', 'an object'],
])

function messageOf({ code, input, expected, maximum, origin, message }: Issue): string {
  if (code === 'invalid_type') return input === undefined ? 'is missing' : `must be ${KINDS.get(expected) ?? expected}`
  if (code === 'too_big') return `has more than ${maximum} ${origin === 'array' ? 'entries' : 'characters'}`
  return message
}
