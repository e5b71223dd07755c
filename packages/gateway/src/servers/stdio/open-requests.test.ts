import { describe, expect, it } from 'vitest'
import { OpenRequests } from './open-requests.ts'

const request = (id: number | string, method = 'tools/call') => ({ jsonrpc: '2.0' as const, id, method })

describe('OpenRequests', () => {
  it('gives back the id as it was sent, once, even if the server made a string of it', () => {
    const open = new OpenRequests()
    open.sent(request(5))
    expect([open.close('5'), open.close(5)]).toEqual([5, undefined])
  })

  it('knows the only request that waits, and counts neither subscriptions nor cancelled ones', () => {
    const open = new OpenRequests()
    expect(open.only()).toBeUndefined()
    open.sent(request('s', 'subscriptions/listen'))
    open.sent(request(1))
    open.sent(request(2))
    expect(open.only()).toBeUndefined()
    open.sent({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    expect(open.only()).toBe(2)
    expect(open.has(1)).toBe(false)
  })

  it('does not count replies to the server', () => {
    const open = new OpenRequests()
    open.sent({ jsonrpc: '2.0', id: 1, result: {} })
    expect(open.has(1)).toBe(false)
  })
})
