import { describe, expect, it } from 'vitest'
import type { ToolKey } from '../../model/tool-key.ts'
import { descriptionsOf, keyOfSearched, searchedId } from './indexed-tools.ts'

const key = (text: string): ToolKey => text as ToolKey

describe('searchedId', () => {
  it('is the key without an own description, else a different id for each description', () => {
    expect(searchedId(key('a:b'), undefined)).toBe('a:b')
    const ids = ['', 'one', 'two'].map((description) => searchedId(key('a:b'), description))
    expect(new Set([...ids, 'a:b']).size).toBe(4)
    expect(ids.map(keyOfSearched)).toEqual(['a:b', 'a:b', 'a:b'])
    expect(keyOfSearched('a:b')).toBe('a:b')
  })
})

describe('descriptionsOf', () => {
  it('collects the tool descriptions of all projects', () => {
    const projects = [
      {
        tools: new Map([
          [key('a:b'), { description: 'one' }],
          [key('a:c'), { pinned: true }],
        ]),
      },
      { tools: new Map([[key('a:b'), { description: 'two' }]]) },
      { tools: new Map([[key('a:b'), { description: 'one' }]]) },
    ]
    expect(descriptionsOf(projects)).toEqual(new Map([['a:b', new Set(['one', 'two'])]]))
  })
})
