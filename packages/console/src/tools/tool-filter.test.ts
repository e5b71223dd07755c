import { adminRoutes } from '@tooldex/contract/admin'
import { expect, it } from 'vitest'
import { FLAGS, filterOf, namesIn, withFilter } from './tool-filter.ts'

it('turns an address into a query that the contract accepts', () => {
  const filter = filterOf({ server: 'notes', project: '', destructive: 'true', pinned: 'false', q: 'x', tab: 'y' })
  expect(filter).toEqual({ server: 'notes', destructive: 'true', pinned: 'false' })
  expect(adminRoutes.listTools.query.parse({ ...filter, limit: '5' })).toMatchObject(filter)
  expect(namesIn(filter)).toEqual(['server', 'destructive', 'pinned'])
})

it('offers every filter that the contract has', () => {
  const { q, limit, cursor, ...filters } = adminRoutes.listTools.query.shape
  expect([q, limit, cursor]).not.toContain(undefined)
  expect(Object.keys(filters).toSorted()).toEqual(['server', 'project', 'allowed', ...FLAGS].toSorted())
})

it('ignores flags that are neither true nor false', () => {
  expect(filterOf({ readOnly: 'yes', allowed: '1', deferred: '' })).toEqual({})
})

it('adds, replaces and removes', () => {
  const one = withFilter({}, 'readOnly', 'true')
  expect(withFilter(one, 'readOnly', 'false')).toEqual({ readOnly: 'false' })
  expect(withFilter({ ...one, server: 'a' }, 'readOnly', undefined)).toEqual({ server: 'a' })
})
