import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AuditEntry } from '../model/audit.ts'
import { AuditFeed } from './audit-feed.ts'
import { MemoryAuditLog } from './memory-audit-log.case.ts'

const common = { at: 1, requestId: 'r', tokenId: 't', projectId: 'p', endpointId: 'e', durationMs: 1, outcome: 'ok' }
const search = (...queries: string[]): AuditEntry => ({
  ...{ kind: 'search', ...common, queryCount: queries.length, queries, resultKeys: [], answeredBy: 'bm25' },
})
const call = (toolKey: string, serverId = ''): AuditEntry => ({
  ...{ kind: 'call', ...common, serverId, toolKey, requestBytes: 0, resultBytes: 0 },
})

function recorded(entry: AuditEntry, options = {}): AuditEntry & { readonly queries?: readonly string[] } {
  const log = new MemoryAuditLog()
  const heard: AuditEntry[] = []
  const feed = new AuditFeed(log, options)
  feed.onEntry((each) => heard.push(each))
  feed.record(entry)
  expect(heard).toEqual(log.entries())
  return log.entries()[0] as AuditEntry
}

describe('AuditFeed', () => {
  it('[R42] cuts query texts at 500 characters and removes control characters and secrets', () => {
    const { queries = [] } = recorded(
      search('x'.repeat(9_999), 'red \u001b[31m alert\n\u202e', 'use tdx_abcdefghijklmnop and Bearer abcdefghijkl'),
    )
    expect(queries[0]).toHaveLength(500)
    expect(queries[1]).toBe('red alert')
    expect(queries[2]).not.toMatch(/abcdef/)
  })

  it('[R42] hides a secret that the cut would have halved', () => {
    const { queries = [] } = recorded(search(`${'x '.repeat(245)}tdx_${'a'.repeat(43)}`))
    expect(queries[0]).not.toContain('aaaa')
  })

  it('[R42] leaves the texts out if they are not to be kept', () => {
    const entry = recorded(search('private words'), { keepsQueries: false })
    expect(entry).toMatchObject({ kind: 'search', queryCount: 1 })
    expect(JSON.stringify(entry)).not.toContain('private')
  })

  it('[R42] cleans and cuts the text of a call that names no tool, and no key of a tool', () => {
    expect(recorded(call(`a:\u001b[2J${'y'.repeat(900)}`))).toMatchObject({
      toolKey: expect.stringMatching(/^a:y{190,}…$/),
    })
    const key = `s:${'y'.repeat(900)}`
    expect(recorded(call(key, 's'))).toMatchObject({ toolKey: key })
  })

  it('keeps at most twenty texts of bounded length, whatever they are', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 800 }), { maxLength: 30 }), (texts) => {
        const { queries = [] } = recorded(search(...texts))
        expect(queries.length).toBeLessThanOrEqual(20)
        for (const query of queries) {
          expect(query.length).toBeLessThanOrEqual(500)
          expect(query).not.toMatch(/\p{Cc}/u)
        }
      }),
    )
  })
})
