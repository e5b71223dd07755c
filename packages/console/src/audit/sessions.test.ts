import type { AdminAuditEntry } from '@tooldex/contract/admin'
import { describe, expect, it } from 'vitest'
import { sessionsOf } from './sessions.ts'

const common = {
  ...{ requestId: 'r', tokenId: 'ann', projectId: 'p', endpointId: 'e', durationMs: 1, outcome: 'ok' },
  ...{ clientName: 'editor', transport: 'stdio' as const },
}
const search = (at: number, resultKeys: string[], more: object = {}): AdminAuditEntry => ({
  ...{ kind: 'search', ...common, at, queryCount: 1, queries: ['q'], resultKeys, answeredBy: 'bm25', ...more },
})
const call = (at: number, toolKey: string, more: object = {}): AdminAuditEntry => ({
  ...{ kind: 'call', ...common, at, serverId: 's', toolKey, requestBytes: 1, resultBytes: 1, ...more },
})
const MINUTE = 60_000

describe('sessionsOf', () => {
  it('puts a call below the latest search that found its tool, with its rank', () => {
    const [session] = sessionsOf([call(4, 's:b'), search(3, ['s:a', 's:b']), search(2, ['s:b']), call(5, 's:x')])
    expect(session).toMatchObject({ searches: 2, calls: 2, errors: 0, from: 2, until: 5 })
    expect(session?.steps).toMatchObject([
      { at: 2, search: { resultKeys: ['s:b'] }, calls: [] },
      { at: 3, calls: [{ entry: { toolKey: 's:b' }, rank: 2 }] },
      { at: 5, calls: [{ entry: { toolKey: 's:x' } }] },
    ])
    expect(session?.steps[2]?.search).toBeUndefined()
  })

  it('keeps clients apart, and begins anew after half an hour', () => {
    const sessions = sessionsOf([
      search(0, []),
      search(MINUTE, [], { tokenId: 'ben' }),
      call(29 * MINUTE, 's:a'),
      call(60 * MINUTE, 's:a', { outcome: 'tool-error' }),
    ])
    expect(sessions.map(({ from, until, errors }) => [from, until, errors])).toEqual([
      [60 * MINUTE, 60 * MINUTE, 1],
      [0, 29 * MINUTE, 0],
      [MINUTE, MINUTE, 0],
    ])
  })

  it('leaves out changes and refusals', () => {
    const change = { kind: 'change', ...common, at: 1, action: 'a', target: '', changes: [] } as AdminAuditEntry
    expect(sessionsOf([change])).toEqual([])
  })
})
