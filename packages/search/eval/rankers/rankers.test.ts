import { describe, expect, it } from 'vitest'
import type { IndexedTool } from '../../src/tool/tool.ts'
import { RANKERS } from './index.ts'
import { fuse } from './ranker.ts'

const tools: readonly IndexedTool[] = [
  { id: 'mail:send', name: 'send', namespace: 'mail', description: 'Send a letter to someone' },
  { id: 'disk:erase', name: 'erase', namespace: 'disk', description: 'Erase a document' },
  { id: 'constructor', name: 'constructor' },
]

describe.each(RANKERS)('$name', (ranker) => {
  it('ranks the tool whose words are asked for first', async () => {
    const rank = await ranker.build(tools)
    expect((await rank(['erase'], 10)).ids[0]).toBe('disk:erase')
    expect((await rank(['constructor'], 10)).ids[0]).toBe('constructor')
  })

  it('answers several intents with the best of each', async () => {
    const rank = await ranker.build(tools)
    expect((await rank(['erase', 'letter'], 10)).ids.toSorted()).toEqual(['disk:erase', 'mail:send'])
    expect((await rank(['erase', 'letter'], 1)).ids).toHaveLength(1)
  })

  it('answers a long question without failing', async () => {
    const rank = await ranker.build(tools)
    expect(Array.isArray((await rank(['where (is "the letter* '.repeat(40)], 10)).ids)).toBe(true)
  })
})

describe('fuse', () => {
  it('prefers what several rankings hold', () => {
    const fused = fuse([
      ['a', 'b'],
      ['c', 'b'],
    ])
    expect(fused).toEqual(['b', 'a', 'c'])
  })
})
