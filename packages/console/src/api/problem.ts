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
