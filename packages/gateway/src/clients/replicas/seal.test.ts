import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Endpoint } from '../../model/endpoint.ts'
import type { Principal } from '../../model/principal.ts'
import { seal, unseal } from './seal.ts'
import { isOf, openSession, openState, sealSession, sealState } from './sealed-session.ts'

const keys = [randomBytes(32)]
const ours = () => keys
const principal: Principal = { tokenId: 't', name: 't', readOnly: false }
const endpoint = { id: 'e' } as Endpoint
const record = fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.parse(JSON.stringify(value)))

describe('seal', () => {
  it('gives every value back to the same key and purpose', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (value, purpose) => {
        expect(unseal(seal(value, purpose, ours), purpose, ours)).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it('opens nothing of another key, purpose or version, and nothing that was modified', () => {
    const sealed = seal(['secret'], 'session', ours)
    expect(unseal(sealed, 'session', () => [randomBytes(32)])).toBeUndefined()
    expect(unseal(sealed, 'other', ours)).toBeUndefined()
    const bytes = Buffer.from(sealed, 'base64url')
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(unseal(changed.toString('base64url'), 'session', ours)).toBeUndefined()
      expect(unseal(bytes.subarray(0, at).toString('base64url'), 'session', ours)).toBeUndefined()
    }
  })

  it('opens what an earlier key sealed, while that key is still available', () => {
    const sealed = seal(1, 'session', ours)
    expect(unseal(sealed, 'session', () => [randomBytes(32), ...keys])).toBe(1)
  })
})

describe('the id of a session', () => {
  const client = (clientInfo: object, clientCapabilities: object = {}) => ({
    ...{ protocolVersion: '2025-11-25', isLocal: true },
    clientInfo: { ...clientInfo },
    clientCapabilities: { ...clientCapabilities },
  })
  const facts = { homeId: 'home', transport: 'http' as const, begunAt: 5 }

  it('carries home, client and capabilities, and fits into a header', () => {
    fc.assert(
      fc.property(record, record, (info, capabilities) => {
        const given = client(info, capabilities)
        const id = sealSession({ ...facts, client: given }, principal, endpoint, ours)
        expect(id).toMatch(/^[\w-]{1,2000}$/)
        const opened = openSession(id, ours)
        expect(opened).toMatchObject(facts)
        if (JSON.stringify(given).length < 1_000) expect(opened?.client).toEqual(given)
      }),
    )
  })

  it('leaves out a client that does not fit', () => {
    const id = sealSession({ ...facts, client: client({ name: 'x'.repeat(5_000) }) }, principal, endpoint, ours)
    expect(id.length).toBeLessThan(300)
    expect(openSession(id, ours)).toMatchObject(facts)
    expect(openSession(id, ours)?.client).toBeUndefined()
  })

  it('belongs to one token and endpoint', () => {
    const opened = openSession(sealSession(facts, principal, endpoint, ours), ours)
    if (opened === undefined) throw new Error('it was not opened')
    expect(isOf(opened, principal, endpoint)).toBe(true)
    expect(isOf(opened, { ...principal, tokenId: 'u' }, endpoint)).toBe(false)
    expect(isOf(opened, principal, { ...endpoint, id: 'f' })).toBe(false)
  })

  it('is no other text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => openSession(text, ours) === undefined))
  })
})

describe('the state of a session', () => {
  it('is hidden, comes back, and is not kept if it is large', () => {
    const state = { added: ['s:tool'], subscribed: ['file:///private'], logLevel: 'info' }
    const sealed = sealState(state, ours)
    expect(sealed).not.toContain('private')
    expect(openState(sealed, ours)).toEqual(state)
    expect(openState('nonsense', ours)).toEqual({ added: [], subscribed: [] })
    expect(sealState({ added: [], subscribed: ['x'.repeat(100_000)] }, ours)).toBeUndefined()
  })
})
