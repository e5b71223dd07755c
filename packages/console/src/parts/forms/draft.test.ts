import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  afterSaving,
  conflictsIn,
  decided,
  differs,
  type DraftState,
  onlyChanged,
  rebased,
  typed,
  untouched,
} from './draft.ts'

interface Values {
  readonly [field: string]: string
}

const values = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('1', '2', '3'))

it('follows fields that were not touched, keeps typed ones, and reports fields that changed in both places', () => {
  const loaded = { name: 'Team', kind: 'x', note: 'n' }
  const state = rebased(typed(untouched(loaded), { name: 'Team A', kind: 'x', note: 'mine' }), {
    name: 'Team',
    kind: 'y',
    note: 'theirs',
  })
  expect(state.draft).toEqual({ name: 'Team A', kind: 'y', note: 'mine' })
  expect(conflictsIn(state)).toEqual([{ field: 'note', mine: 'mine', theirs: 'theirs' }])
  expect(conflictsIn(decided(state, 'note', 'mine'))).toEqual([])
  expect(decided(state, 'note', 'theirs').draft).toEqual({ name: 'Team A', kind: 'y', note: 'theirs' })
})

it('never loses a typed value, and never replaces a value of others without a decision', () => {
  fc.assert(
    fc.property(values, values, fc.array(values, { maxLength: 4 }), (first, draft, loads) => {
      let state: DraftState<Values> = typed(untouched<Values>(first), draft)
      for (const load of loads) state = rebased(state, load)
      const last: Values = loads.at(-1) ?? first
      for (const field of ['a', 'b', 'c']) {
        const isTouched = draft[field] !== first[field]
        expect(state.draft[field]).toBe(isTouched ? draft[field] : last[field])
        const isReplaced = isTouched && last[field] !== first[field] && last[field] !== draft[field]
        if (isReplaced) expect(conflictsIn(state).map((conflict) => conflict.field)).toContain(field)
      }
      for (const { field } of conflictsIn(state)) expect(state.draft[field]).not.toBe(last[field])
    }),
  )
})

it('keeps what was typed while a change was being saved', () => {
  const sent = { name: 'one', env: 'KEY=secret' }
  const before = typed(untouched({ name: '', env: '' }), sent)
  const state = afterSaving(typed(before, { name: 'one two', env: 'KEY=secret' }), sent, {
    name: 'one',
    env: 'KEY=***',
  })
  expect(state.draft).toEqual({ name: 'one two', env: 'KEY=***' })
  expect([...state.touched]).toEqual(['name'])
  expect(conflictsIn(state)).toEqual([])
})

it('sends nothing but what differs', () => {
  const before = { name: 'a', servers: ['x'], unset: ['optimization'] }
  expect(onlyChanged({ name: 'b', servers: ['x'], unset: ['optimization', 'maxTools'] }, before)).toEqual({
    name: 'b',
    unset: ['maxTools'],
  })
  expect(onlyChanged(before, before)).toEqual({})
})

it('compares values, not objects', () => {
  expect(differs({ a: { x: 1, y: [1] } }, { a: { y: [1], x: 1 } })).toBe(false)
  expect(differs({ a: undefined }, {})).toBe(false)
  expect(differs({ a: ['x'] }, { a: { 0: 'x' } })).toBe(true)
})
