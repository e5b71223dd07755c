import { expect, it } from 'vitest'
import { ApiProblem, hasOtherProblems, problemOfField } from './problem.ts'

it('finds messages about a field and about its parts', () => {
  const problems = [
    { path: 'name', message: 'is empty' },
    { path: 'env.KEY', message: 'is no text' },
  ]
  const problem = new ApiProblem(400, { code: 'REQUEST_INVALID', problems })
  const said = problemOfField(problem)
  expect([said('name'), said('env'), said('url')]).toEqual(['is empty', 'is no text', undefined])
  expect(hasOtherProblems(problem, ['name', 'env'])).toBe(false)
  expect(hasOtherProblems(problem, ['name'])).toBe(true)
})

it('ignores fields whose name is only a prefix', () => {
  const problem = new ApiProblem(400, { code: 'REQUEST_INVALID', problems: [{ path: 'names', message: 'is unknown' }] })
  expect(problemOfField(problem)('name')).toBeUndefined()
  expect(hasOtherProblems(problem, ['name'])).toBe(true)
})

it('reports problems that belong to no field', () => {
  expect(hasOtherProblems(new ApiProblem(409, { code: 'REVISION_CONFLICT', detail: 'Changed' }), ['name'])).toBe(true)
})
