import { describe, expect, it } from 'vitest'
import { okapi } from './okapi.ts'

describe('okapi', () => {
  it('ranks by BM25: rare words, repeated words and short texts first', async () => {
    const rank = await okapi.build([
      { id: 'long', name: 'one', description: 'red paint and a good many more words about it' },
      { id: 'short', name: 'two', description: 'red paint' },
      { id: 'twice', name: 'three', description: 'red red' },
      { id: 'rare', name: 'four', description: 'blue paint' },
    ])
    expect((await rank(['red blue'], 10)).ids).toEqual(['rare', 'twice', 'short', 'long'])
  })

  it('keeps the order of the tools among equals', async () => {
    const rank = await okapi.build([
      { id: 'b', name: 'same' },
      { id: 'a', name: 'same' },
    ])
    expect((await rank(['same'], 10)).ids).toEqual(['b', 'a'])
  })
})
