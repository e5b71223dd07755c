import {
  type Problem,
  type ProblemField,
  type SearchApiProblemCode,
  searchApiProblem,
} from '@tooldex/contract/search-api'

/** A request that is answered with a problem. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly problem: Problem
  readonly headers: Readonly<Record<string, string>>

  constructor(code: SearchApiProblemCode, detail: string, facts: ProblemFacts = {}) {
    super(detail, facts.cause === undefined ? {} : { cause: facts.cause })
    this.problem = searchApiProblem(code, detail, facts.errors)
    this.headers = facts.headers ?? {}
  }
}

interface ProblemFacts {
  readonly errors?: readonly ProblemField[]
  readonly headers?: Readonly<Record<string, string>>
  /** For the log; the caller does not see it. */
  readonly cause?: unknown
}
