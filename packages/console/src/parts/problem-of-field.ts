import type { ApiProblem } from '../api/problem.ts'

/** What a name that is taken is about; a form has one of them. */
const NAMES = ['name', 'id']

/** Finds what the gateway said of a field, so that a form can say it beside the field. */
export function problemOfField(problem: ApiProblem | null): (field: string) => string | undefined {
  if (problem?.code === 'NAME_TAKEN') return (field) => (NAMES.includes(field) ? problem.message : undefined)
  const all = problem?.problem.problems ?? []
  return (field) =>
    all.find(({ path }) => path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`))?.message
}

/** Whether some part of a problem has no field to be said beside. */
export function hasOtherProblems(problem: ApiProblem | null, fields: readonly string[]): boolean {
  if (problem === null) return false
  if (problem.code === 'NAME_TAKEN') return !fields.some((field) => NAMES.includes(field))
  const all = problem.problem.problems ?? []
  return all.length === 0 || all.some(({ path }) => !fields.some((field) => path.startsWith(field)))
}
