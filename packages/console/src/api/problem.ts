import { ADMIN_ROLES, type Problem } from '@tooldex/contract/admin'
import type { Text } from '../text/text.ts'

/** An error response of the gateway, or a failure to reach it (`code` is then `UNREACHABLE`). */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem'
  readonly code: string
  readonly status: number
  readonly problem: Partial<Problem>

  constructor(status: number, problem: Partial<Problem>) {
    super(problem.detail ?? problem.title ?? `The gateway answered ${status}`)
    this.status = status
    this.code = problem.code ?? 'UNKNOWN'
    this.problem = problem
  }
}

/** The problem of a gateway that does not answer. */
export function unreachable(): ApiProblem {
  return new ApiProblem(0, { code: 'UNREACHABLE', detail: 'The gateway cannot be reached' })
}

/** The problem of a browser without a session. */
export function notSignedIn(): ApiProblem {
  return new ApiProblem(401, { code: 'TOKEN_MISSING' })
}

/** The message of a problem; in the language of the page if everybody may meet it. */
export function problemText({ code, message, problem }: ApiProblem, common: Text['common']): string {
  if (code === 'UNREACHABLE') return common.connectionLost
  const needed = ADMIN_ROLES.find((role) => role === problem.details?.['needed'])
  return code === 'ROLE_REQUIRED' && needed !== undefined ? common.needsRole(common.roles[needed]) : message
}

/** Finds the message about a field, so that a form can show it beside the field. */
export function problemOfField(problem: ApiProblem | null): (field: string) => string | undefined {
  const all = problem?.problem.problems ?? []
  return (field) => all.find(({ path }) => isIn(field, path))?.message
}

/** Whether some message of a problem belongs to none of the fields. */
export function hasOtherProblems(problem: ApiProblem, fields: readonly string[]): boolean {
  const all = problem.problem.problems ?? []
  return all.length === 0 || all.some(({ path }) => !fields.some((field) => isIn(field, path)))
}

/** `env.KEY` is in `env`, `args[2]` in `args`. */
function isIn(field: string, path: string): boolean {
  return path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`)
}
