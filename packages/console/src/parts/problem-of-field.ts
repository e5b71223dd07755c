import type { ApiProblem } from '../api/problem.ts'

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
