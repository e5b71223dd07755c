import type { Problem } from '@tooldex/contract/admin'

/** A failure that the gateway explained, or a gateway that cannot be reached (`code` is then `UNREACHABLE`). */
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

/** What is told when nobody answers. */
export function unreachable(): ApiProblem {
  return new ApiProblem(0, { code: 'UNREACHABLE', detail: 'The gateway cannot be reached' })
}

/** Finds what the gateway said of a field, so that a form can say it beside the field. */
export function problemOfField(problem: ApiProblem | null): (field: string) => string | undefined {
  const all = problem?.problem.problems ?? []
  return (field) => all.find(({ path }) => isIn(field, path))?.message
}

/** Whether some part of a problem has no field to be said beside. */
export function hasOtherProblems(problem: ApiProblem, fields: readonly string[]): boolean {
  const all = problem.problem.problems ?? []
  return all.length === 0 || all.some(({ path }) => !fields.some((field) => isIn(field, path)))
}

/** `env.KEY` and `args[2]` are in `env` and `args`. */
function isIn(field: string, path: string): boolean {
  return path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`)
}
