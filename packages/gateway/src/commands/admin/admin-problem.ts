import type { Problem } from '@tooldex/contract/admin'

/** What the admin API refused, and why; the code may be of a newer gateway than this program. */
export class AdminProblem extends Error {
  override readonly name = 'AdminProblem'
  readonly code: string
  /** Everything that is wrong, one sentence each. */
  readonly problems: readonly string[]

  constructor({ code, detail, problems = [] }: Problem) {
    super(detail)
    this.code = code
    this.problems = problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
  }
}
