import { describe, expect, it } from 'vitest'
import type { ListReader } from '../model/context-cost.ts'
import type { DisclosureSettings } from '../model/settings.ts'
import { decideExposure, type ExposureFacts, ExposureMemory } from './decide-exposure.ts'
import { resolveSettings } from './resolve-settings.ts'

const settings = (own: DisclosureSettings = {}) => resolveSettings(own, { tokenBudget: 1_000 })
const modeFor = (facts: Omit<ExposureFacts, 'settings'>, own: DisclosureSettings = {}) =>
  decideExposure({ settings: settings(own), ...facts }).mode

const CLAUDE_CODE = { clientName: 'claude-code', clientVersion: '2.1.325' }

describe('decideExposure', () => {
  it.each(['full', 'deferred', 'limited', 'search-only', 'meta-tools'] as const)('keeps %s', (exposure) => {
    expect(modeFor({ tokens: 1 }, { exposure })).toBe(exposure)
    expect(modeFor({ tokens: 1_000_000 }, { exposure })).toBe(exposure)
  })

  it('lists small catalogs completely, for all clients', () => {
    expect(modeFor({ tokens: 1_000 })).toBe('full')
    expect(modeFor({ tokens: 1_000, client: CLAUDE_CODE })).toBe('full')
  })

  it('gives clients that search themselves a deferred list, and others two tools', () => {
    expect(modeFor({ tokens: 1_001, client: CLAUDE_CODE })).toBe('deferred')
    expect(modeFor({ tokens: 1_001, client: { clientName: 'cursor-vscode', clientVersion: '9.0.0' } })).toBe(
      'meta-tools',
    )
    expect(modeFor({ tokens: 1_001 })).toBe('meta-tools')
  })

  it.each([
    ['2.1.325', 'deferred'],
    ['2.1.326-beta.1', 'deferred'],
    ['3.0.0', 'deferred'],
    ['2.1.324', 'meta-tools'],
    ['2.0.999', 'meta-tools'],
    ['1.9.9', 'meta-tools'],
    ['latest', 'meta-tools'],
    ['2.1', 'meta-tools'],
    ['', 'meta-tools'],
    ['9'.repeat(400), 'meta-tools'],
    [undefined, 'meta-tools'],
  ])('gives Claude Code of version %s the list %s', (clientVersion, expected) => {
    const client = { clientName: 'Claude-Code', ...(clientVersion !== undefined && { clientVersion }) }
    expect(modeFor({ tokens: 160_000, client })).toBe(expected)
  })

  it('[R26] lists the tools themselves if search is off', () => {
    expect(modeFor({ tokens: 1_000_000 }, { strategy: null })).toBe('full')
    const earlier = { mode: 'meta-tools', lasts: 'session' } as const
    expect(modeFor({ tokens: 1_000_000, earlier }, { strategy: null })).toBe('full')
  })

  it('gives the reason', () => {
    expect(decideExposure({ settings: settings(), tokens: 5_000 }).reason).toBe('5000 tokens of at most 1000')
  })

  it.each([
    ['full', 1_250, 'full'],
    ['full', 1_251, 'meta-tools'],
    ['meta-tools', 751, 'meta-tools'],
    ['meta-tools', 750, 'full'],
  ] as const)('for a token after %s with %i tokens: %s', (mode, tokens, expected) => {
    expect(modeFor({ tokens, earlier: { mode, lasts: 'token' } })).toBe(expected)
  })

  it('[U4] lists the two tools while servers are awaited, and never nothing where a server is known', () => {
    const awaiting = (isEmpty: boolean) => ({ tokens: isEmpty ? 0 : 10, awaiting: { isEmpty } })
    expect(modeFor(awaiting(false))).toBe('meta-tools')
    for (const exposure of ['auto', 'full', 'limited', 'meta-tools'] as const) {
      expect(modeFor(awaiting(true), { exposure })).toBe('meta-tools')
      expect(modeFor(awaiting(true), { exposure, strategy: null })).toBe('meta-tools')
    }
    expect(modeFor(awaiting(true), { exposure: 'deferred' })).toBe('deferred')
    expect(modeFor(awaiting(true), { exposure: 'deferred', strategy: null })).toBe('meta-tools')
    expect(modeFor(awaiting(true), { exposure: 'search-only' })).toBe('search-only')
    expect(modeFor(awaiting(false), { exposure: 'full' })).toBe('full')
    expect(modeFor(awaiting(false), { strategy: null })).toBe('full')
  })

  it.each([
    ['full', 100_000, 'full'],
    ['meta-tools', 1, 'meta-tools'],
    ['deferred', 1, 'deferred'],
  ] as const)('in a session after %s with %i tokens: %s', (mode, tokens, expected) => {
    expect(modeFor({ tokens, earlier: { mode, lasts: 'session' } })).toBe(expected)
  })
})

describe('ExposureMemory', () => {
  const reader: ListReader = { endpointId: 'e', projectId: 'p', tokenId: 't' }
  const modes = (memory: ExposureMemory, who: ListReader, sizes: readonly number[]) =>
    sizes.map((tokens) => memory.decide(who, settings(), { tokens }).mode)

  it('decides once per session', () => {
    const session = { ...reader, sessionId: 's', ...CLAUDE_CODE }
    expect(modes(new ExposureMemory(), session, [1_500, 10, 5_000])).toEqual(['deferred', 'deferred', 'deferred'])
    expect(modes(new ExposureMemory(), session, [900, 100_000])).toEqual(['full', 'full'])
  })

  it('[U4] keeps the mode of a list that a session was given while servers were awaited', () => {
    const memory = new ExposureMemory()
    const session = { ...reader, sessionId: 's' }
    const early = { tokens: 10, awaiting: { isEmpty: false } }
    expect(memory.decide(session, settings(), early).mode).toBe('meta-tools')
    expect(modes(memory, session, [10])).toEqual(['full'])
    memory.given({ ...session, sessionId: 'other' }, 'meta-tools')
    expect(modes(memory, { ...session, sessionId: 'other' }, [10])).toEqual(['meta-tools'])
    expect(memory.decide(reader, settings(), early).mode).toBe('meta-tools')
    expect(modes(memory, reader, [10])).toEqual(['full'])
  })

  it('decides for each part of a project of its own', () => {
    const memory = new ExposureMemory()
    const session = { ...reader, sessionId: 's' }
    expect(memory.decide(session, settings(), { tokens: 10, narrowing: 'a' }).mode).toBe('full')
    expect(memory.decide(session, settings(), { tokens: 5_000 }).mode).toBe('meta-tools')
    expect(memory.decide(session, settings(), { tokens: 900, narrowing: 'a' }).mode).toBe('full')
  })

  it('does not alternate with a catalog around the budget', () => {
    const sizes = [900, 1_100, 900, 1_200, 1_300, 1_100, 900, 700]
    expect(modes(new ExposureMemory(), reader, sizes)).toEqual([
      ...['full', 'full', 'full', 'full'],
      ...['meta-tools', 'meta-tools', 'meta-tools', 'full'],
    ])
  })

  it('ignores the name of a client without a session', () => {
    expect(modes(new ExposureMemory(), { ...reader, ...CLAUDE_CODE }, [5_000])).toEqual(['meta-tools'])
  })

  it('keeps readers apart and stores no decision for an empty catalog', () => {
    const memory = new ExposureMemory()
    const other = { ...reader, tokenId: 'other' }
    expect(modes(memory, reader, [0, 1_100, 1_100])).toEqual(['full', 'meta-tools', 'meta-tools'])
    expect(modes(memory, other, [900, 1_100])).toEqual(['full', 'full'])
  })

  it('forgets a closed session, and evicts the oldest reader beyond its size', () => {
    const memory = new ExposureMemory(2)
    const session = (sessionId: string) => ({ ...reader, sessionId })
    expect(modes(memory, session('a'), [1_500])).toEqual(['meta-tools'])
    memory.forget('a')
    expect(modes(memory, session('a'), [900])).toEqual(['full'])
    modes(memory, session('b'), [900])
    modes(memory, session('c'), [900])
    expect(modes(memory, session('a'), [1_500])).toEqual(['meta-tools'])
    expect(modes(memory, session('c'), [1_500])).toEqual(['full'])
  })
})
