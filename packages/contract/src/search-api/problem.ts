import { z } from 'zod'

/** The media type of a problem (RFC 9457). */
export const PROBLEM_TYPE = 'application/problem+json'

/** The body of every answer that is not a success. */
export const problemSchema = z.object({
  type: z.string().describe('`about:blank`: `code` identifies the problem.'),
  title: z.string().describe('The same for every problem of this code.'),
  status: z.number().int().describe('That of the HTTP answer.'),
  code: z.string().describe('For programs.'),
  detail: z.string().describe('The cause in this case, and a remedy.'),
  errors: z
    .array(
      z.object({
        field: z.string().describe('Where in the body: `tools[3].toolKey`.'),
        message: z.string().describe('The problem of the field.'),
      }),
    )
    .optional()
    .describe('The invalid fields, if any.'),
})

/** The body of every answer that is not a success. */
export type Problem = z.output<typeof problemSchema>
/** One invalid field. */
export type ProblemField = NonNullable<Problem['errors']>[number]

/** Every problem that the Search API answers with, by code. */
export const SEARCH_API_PROBLEMS = {
  REQUEST_INVALID: { status: 400, title: 'The request is not valid' },
  TOKEN_MISSING: { status: 401, title: 'The request has no token' },
  TOKEN_INVALID: { status: 401, title: 'The token is not valid' },
  PROJECT_FORBIDDEN: { status: 403, title: 'The token is not for this project' },
  PATH_NOT_FOUND: { status: 404, title: 'Not found' },
  CATALOG_UNKNOWN: { status: 404, title: 'The service does not have this catalog' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'The path does not take this method' },
  REQUEST_TOO_LARGE: { status: 413, title: 'The request is too large' },
  REQUEST_NOT_JSON: { status: 415, title: 'The body is not in a form that is understood' },
  CATALOG_MISMATCH: { status: 422, title: 'The lines do not have this hash' },
  TOO_MANY_REQUESTS: { status: 429, title: 'Too many requests' },
  INTERNAL: { status: 500, title: 'Something went wrong in the service' },
  UNAVAILABLE: { status: 503, title: 'The service cannot answer now' },
} as const

/** The code of a problem. */
export type SearchApiProblemCode = keyof typeof SEARCH_API_PROBLEMS

/** The problem of a code, with the details of this case. */
export function searchApiProblem(
  code: SearchApiProblemCode,
  detail: string,
  errors?: readonly ProblemField[],
): Problem {
  const { status, title } = SEARCH_API_PROBLEMS[code]
  return { type: 'about:blank', title, status, code, detail, ...(errors !== undefined && { errors: [...errors] }) }
}
