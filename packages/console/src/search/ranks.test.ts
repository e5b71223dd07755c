import { expect, it } from 'vitest'
import { missingWords, ranksOf } from './ranks.ts'

const hit = (toolKey: string, relevance: number) => ({
  toolKey,
  relevance,
  toolName: '',
  serverName: '',
  signature: '',
})

it('knows where every strategy ranks a tool', () => {
  const ranks = ranksOf([
    { strategy: 'bm25', hits: [hit('a:x', 0.9), hit('a:y', 0.2)] },
    { strategy: 'embeddings', hits: [hit('a:y', 0.7)] },
  ])
  expect(ranks.get('a:y')?.get('bm25')).toEqual({ rank: 2, relevance: 0.2 })
  expect(ranks.get('a:y')?.get('embeddings')).toEqual({ rank: 1, relevance: 0.7 })
  expect(ranks.get('a:x')?.get('embeddings')).toBeUndefined()
})

it('names the words that only the first hit has, whatever else it was found by', () => {
  const first = '"wipe → delete" in name · "file" in name, description · "old" in description'
  expect(missingWords(first, '"file" in name')).toEqual(['wipe', 'old'])
  expect(missingWords(first, first)).toEqual([])
  expect(missingWords(undefined, 'chosen by cloud')).toEqual([])
})
