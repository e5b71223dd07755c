import { ADMIN_ROLES } from '@tooldex/contract/admin'
import { expect, it } from 'vitest'
import { en } from '../text/en/index.ts'
import { ja } from '../text/ja/index.ts'
import { ApiProblem, hasOtherProblems, problemOfField, problemText, unreachable } from './problem.ts'

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

const refused = (details: Record<string, unknown>): ApiProblem =>
  new ApiProblem(403, { code: 'ROLE_REQUIRED', detail: 'restartServer needs the role operator', details })

it('says in the language of the page which role a refused operation needs', () => {
  for (const needed of ADMIN_ROLES) {
    const problem = refused({ role: 'reader', needed })
    expect(problemText(problem, en.common)).toBe(`You need the role ${en.common.roles[needed]} for this.`)
    expect(problemText(problem, ja.common)).toContain(ja.common.roles[needed])
  }
})

it('keeps the words of the gateway for a role that this console does not know, and for other problems', () => {
  expect(problemText(refused({ needed: 'owner' }), en.common)).toBe('restartServer needs the role operator')
  expect(problemText(refused({ needed: 'toString' }), en.common)).toBe('restartServer needs the role operator')
  expect(problemText(new ApiProblem(409, { code: 'NAME_TAKEN', detail: 'Taken' }), en.common)).toBe('Taken')
  expect(problemText(unreachable(), ja.common)).toBe(ja.common.connectionLost)
})
