import { adminRoutes } from '@tooldex/contract/admin'
import { expect, it } from 'vitest'
import { filterOf, queryOf } from './audit-filter.ts'

it('makes of an address what the contract takes', () => {
  const filter = filterOf({ kind: 'call', outcome: 'error', from: '2026-11-01T00:00', tab: 'x', token: '' })
  expect(adminRoutes.followAudit.query.parse(queryOf(filter))).toEqual({
    kind: 'call',
    outcome: 'error',
    from: new Date('2026-11-01T00:00').getTime(),
  })
})

it('leaves out what is no kind and no date', () => {
  expect(queryOf(filterOf({ kind: 'other', from: 'yesterday' }))).toEqual({})
})
