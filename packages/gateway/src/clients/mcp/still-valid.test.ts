import { describe, expect, it } from 'vitest'
import type { Endpoint } from '../../model/endpoint.ts'
import type { Principal } from '../../model/principal.ts'
import { ANONYMOUS } from '../http/guards.ts'
import { isStillValid } from './still-valid.ts'

const NOW = 1_000
const BEFORE: Principal = {
  tokenId: 'a',
  name: 'A',
  readOnly: false,
  projects: new Set(['p', 'q']),
  servers: new Set(['s']),
}

function isValidWith(current: Partial<Principal> | undefined, before: Principal = BEFORE): boolean {
  const tokens = new Map(current === undefined ? [] : [['hash', { ...before, ...current }]])
  return isStillValid(before, { tokens, endpoints: new Map() }, NOW)
}

describe('isStillValid', () => {
  it.each<[string, boolean, Partial<Principal> | undefined]>([
    ['nothing changed', true, {}],
    ['it may do more', true, { projects: new Set(['p', 'q', 'r']), servers: new Set(['s', 't']) }],
    ['it was revoked', false, undefined],
    ['it belongs to another now', false, { tokenId: 'b' }],
    ['it lost a project', false, { projects: new Set(['p']) }],
    ['it lost a server', false, { servers: new Set(['t']) }],
    ['it only reads now', false, { readOnly: true }],
    ['it has expired meanwhile', false, { expiresAt: NOW }],
    ['it will expire', true, { expiresAt: NOW + 1 }],
  ])('knows a token: %s', (_, isValid, current) => {
    expect(isValidWith(current)).toBe(isValid)
  })

  it('ends what a token opened that could do everything and is confined now', () => {
    const all: Principal = { tokenId: 'a', name: 'A', readOnly: false }
    expect(isValidWith({}, all)).toBe(true)
    expect(isValidWith({ projects: new Set(['p']) }, all)).toBe(false)
  })

  it('holds for whoever came without a token for as long as an endpoint lets them in', () => {
    const endpoint: Endpoint = { id: 'open', projectId: 'p', disclosure: {}, auth: 'none', transparent: false }
    const model = (auth: Endpoint['auth']) => ({
      tokens: new Map(),
      endpoints: new Map([['open', { ...endpoint, auth }]]),
    })
    expect(isStillValid(ANONYMOUS, model('none'), NOW)).toBe(true)
    expect(isStillValid(ANONYMOUS, model('token'), NOW)).toBe(false)
  })
})
