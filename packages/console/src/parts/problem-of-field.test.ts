import { expect, it } from 'vitest'
import { ApiProblem } from '../api/problem.ts'
import { hasOtherProblems, problemOfField } from './problem-of-field.ts'

it('finds what is said of a field and of what is in it', () => {
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

it('says beside the name that it is taken', () => {
  const problem = new ApiProblem(409, { code: 'NAME_TAKEN', detail: 'There is one' })
  expect(problemOfField(problem)('name')).toBe('There is one')
  expect(problemOfField(problem)('url')).toBeUndefined()
  expect(hasOtherProblems(problem, ['id', 'url'])).toBe(false)
  expect(hasOtherProblems(problem, ['url'])).toBe(true)
})
