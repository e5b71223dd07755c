import { describe, expect, it } from 'vitest'
import { ENDPOINTS } from '../http/listener.case.ts'
import { callerOutsideRequest, type ClientIdentity, newRequestId } from './caller.ts'

describe('newRequestId', () => {
  it('makes UUIDs of version 7 that sort by time', () => {
    const ids = [0, 1, 1_800_000_000_000, 1_800_000_000_001, 2 ** 48 - 1].map((now) => newRequestId(now))
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(ids.toSorted()).toEqual(ids)
  })

  it('makes each id once, even at the same time', () => {
    expect(new Set(Array.from({ length: 10_000 }, () => newRequestId(5)))).toHaveLength(10_000)
  })
})

describe('callerOutsideRequest', () => {
  const [endpoint] = ENDPOINTS as readonly [ClientIdentity['endpoint']]
  const client: ClientIdentity = {
    ...{ endpoint, era: 'modern', protocolVersion: '2026-07-28', clientCapabilities: {} },
    principal: { tokenId: 'laptop', name: 'Laptop', readOnly: false },
  }
  const owner = { principal: { ...client.principal, tokenId: 'local' } }

  it.each([
    ['stateless-http', {}],
    ['streamable-http', { era: 'legacy' }],
    ['sse', { era: 'legacy', transport: 'sse' }],
    ['stdio', { transport: 'stdio' }],
    ['command-line', { ...owner, endpoint: { ...endpoint, id: 'local.default' } }],
    ['stdio', owner],
  ] as const)('[R42] tells the audit log the transport %s', (transport, over) => {
    expect(callerOutsideRequest({ ...client, ...over }).from).toEqual({ transport })
  })

  it('[R42] tells it the client as it names itself, cleaned and cut', () => {
    const clientInfo = { name: `a\u001b[31m\n${'b'.repeat(900)}`, version: 7 }
    const { clientName = '', clientVersion } = callerOutsideRequest({ ...client, clientInfo }).from
    expect(clientName).toMatch(/^a b+…$/)
    expect([clientName.length, clientVersion]).toEqual([100, undefined])
  })
})
