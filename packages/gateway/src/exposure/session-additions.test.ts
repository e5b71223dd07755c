import { describe, expect, it } from 'vitest'
import type { ToolKey } from '../model/tool-key.ts'
import { SessionAdditions } from './session-additions.ts'

const keys = (...names: string[]) => names.map((name) => `s:${name}` as ToolKey)
const nothingListed = () => false

describe('SessionAdditions', () => {
  it('appends the results of a search and returns whether the list changed', () => {
    const additions = new SessionAdditions()
    expect(additions.add('one', keys('b', 'a'), nothingListed)).toBe(true)
    expect(additions.add('one', keys('c', 'b'), nothingListed)).toBe(true)
    expect(additions.of('one')).toEqual(keys('b', 'a', 'c'))
    expect(additions.add('one', keys('a'), nothingListed)).toBe(false)
    expect(additions.add('one', [], nothingListed)).toBe(false)
  })

  it('leaves out tools that are already listed', () => {
    const additions = new SessionAdditions()
    expect(additions.add('one', keys('a'), (key) => key === 's:a')).toBe(false)
    expect(additions.of('one')).toEqual([])
  })

  it('never shows one session the results of another', () => {
    const additions = new SessionAdditions()
    additions.add('one', keys('a'), nothingListed)
    expect(additions.of('two')).toEqual([])
    additions.forget('one')
    expect(additions.of('one')).toEqual([])
  })

  it('evicts the least recently used tool beyond the maximum', () => {
    const additions = new SessionAdditions(3)
    additions.add('one', keys('a', 'b', 'c'), nothingListed)
    additions.used('one', keys('c')[0] as ToolKey)
    additions.used('one', keys('unknown')[0] as ToolKey)
    expect(additions.add('one', keys('d'), nothingListed)).toBe(true)
    expect(additions.of('one')).toEqual(keys('a', 'c', 'd'))
  })

  it('keeps the best results if there are too many', () => {
    const additions = new SessionAdditions(2)
    additions.add('one', keys('a', 'b', 'c'), nothingListed)
    expect(additions.of('one')).toEqual(keys('a', 'b'))
  })
})
