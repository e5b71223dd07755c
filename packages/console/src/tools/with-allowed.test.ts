import { expect, it } from 'vitest'
import { withAllowed } from './with-allowed.ts'

const tool = (key: string, allowed: boolean) => ({ key, allowed, name: key })
const list = (allowed: boolean) => ({ items: [tool('a:x', true), tool('a:y', allowed)], total: 2 })

it('changes one tool wherever it is shown', () => {
  expect(withAllowed(list(true), 'a:y', false)).toEqual(list(false))
  expect(withAllowed({ pages: [list(true), list(true)] }, 'a:y', false)).toEqual({ pages: [list(false), list(false)] })
  expect(withAllowed(tool('a:y', true), 'a:y', false)).toEqual(tool('a:y', false))
})

it('leaves alone what it is not about', () => {
  expect(withAllowed(undefined, 'a:y', false)).toBeUndefined()
  expect(withAllowed(tool('a:x', true), 'a:y', false)).toEqual(tool('a:x', true))
})
