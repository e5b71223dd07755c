import type { AdminAuditEntry } from '@tooldex/contract/admin'
import { expect, it } from 'vitest'
import { remedyOf } from './remedy.ts'

const common = {
  ...{ at: 1, requestId: 'r', tokenId: 'ann', tokenName: 'Ann', projectId: 'p', endpointId: 'e', durationMs: 1 },
  transport: 'stdio' as const,
}
const call = (outcome: string, more: object = {}): AdminAuditEntry => ({
  ...{ kind: 'call', ...common, outcome, serverId: 's', toolKey: 's:t', requestBytes: 1, resultBytes: 1, ...more },
})
const search = (resultKeys: string[], more: object = {}): AdminAuditEntry => ({
  ...{ kind: 'search', ...common, outcome: 'ok', queryCount: 1, queries: ['a b'], resultKeys, answeredBy: 'bm25' },
  ...more,
})

it.each([
  ['TOOL_DISABLED', { what: 'explain', to: '/tokens/$token', params: { token: 'ann' }, search: { tool: 's:t' } }],
  ['TOOL_NOT_FOUND', { what: 'explain' }],
  ['TOOL_HELD', { what: 'approve', to: '/review' }],
  ['SERVER_HELD', { what: 'approve' }],
  ['SERVER_CRASHED', { what: 'log', params: { server: 's' }, search: { tab: 'logs' } }],
  ['REPLY_INVALID', { what: 'log' }],
  ['SERVER_TIMEOUT', { what: 'limits', search: { tab: 'settings' } }],
  ['INVALID_ARGUMENTS', { what: 'tryIt', params: { tool: 's:t' } }],
  ['tool-error', { what: 'tryIt' }],
])('a call that failed with %s leads to the page that helps', (outcome, remedy) => {
  expect(remedyOf(call(outcome))).toMatchObject(remedy)
})

it('a call of a name that is no key leads to a search for it, as the same token in the same project', () => {
  expect(remedyOf(call('TOOL_NOT_FOUND', { serverId: '', toolKey: 'send mail' }))).toEqual({
    what: 'search',
    to: '/search',
    search: { q: 'send mail', project: 'p', token: 'ann' },
  })
  expect(remedyOf(call('INVALID_ARGUMENTS', { serverId: '', toolKey: '' }))).toMatchObject({ what: 'session' })
})

it('a search that found nothing or led to no call leads to the search page', () => {
  expect(remedyOf(search(['s:t']))).toBeUndefined()
  expect(remedyOf(call('ok'))).toBeUndefined()
  expect(remedyOf(search([]))).toMatchObject({ what: 'search', search: { q: 'a b' } })
  expect(remedyOf(search(['s:t']), true)).toMatchObject({ what: 'search' })
  expect(remedyOf(search([], { queries: undefined }))).toMatchObject({ what: 'session' })
})

it('every failed entry has a remedy', () => {
  const refusal = { kind: 'refusal', ...common, outcome: 'TOKEN_INVALID', address: '::1', count: 1, lastAt: 2 } as const
  expect(remedyOf(refusal)).toMatchObject({ to: '/tokens' })
  const change = { kind: 'change' as const, ...common, outcome: 'NAME_TAKEN', action: 'a', target: '', changes: [] }
  expect(remedyOf(change)).toBeDefined()
})
