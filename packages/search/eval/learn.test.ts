import { describe, expect, it } from 'vitest'
import { toyEmbedder } from '../src/providers/meaning/toy-embedder.case.ts'
import { evaluateLearning } from './learn.ts'

const tools = ['alpha', 'beta', 'gamma', 'delta'].map((name) => ({ id: `s:${name}`, name, namespace: 's' }))
const queries = Array.from({ length: 60 }, (_, nth) => ({
  id: `q${nth}`,
  task: `t${nth % 30}`,
  queries: [nth % 2 === 0 ? `purple elephants dance ${nth}` : `green whales sing ${nth}`],
  relevant: new Set([nth % 2 === 0 ? 's:beta' : 's:delta']),
}))
const set = { name: 'made', tools, queries, absent: [] }
const parts = { embedder: toyEmbedder(), queryReader: { read: () => undefined } as never }
const ndcg = (outcomes: readonly { readonly figures: { readonly ndcg10: number } }[]) =>
  outcomes.reduce((sum, { figures }) => sum + figures.ndcg10, 0) / outcomes.length

describe('evaluateLearning', () => {
  it('ranks the rest of a set better with what the log tells, and keeps the wordings of a task together', async () => {
    const run = await evaluateLearning(set, { share: 0.5, noise: 0 }, parts)
    const [without, learnt] = [run.get('hybrid'), run.get('hybrid+learning')]
    expect(ndcg(learnt?.outcomes ?? [])).toBeGreaterThan(ndcg(without?.outcomes ?? []) + 0.3)
    const tested = new Map((learnt?.outcomes ?? []).map(({ query }) => [query.task, 0]))
    for (const { query } of learnt?.outcomes ?? []) tested.set(query.task, (tested.get(query.task) ?? 0) + 1)
    expect([...tested.values()].every((wordings) => wordings === 2)).toBe(true)
    expect(learnt?.unlogged).toEqual({ queries: 0, loss: 0 })
  })

  it('answers the same for the same set, and as without learning for an empty log', async () => {
    const figures = async (share: number) => {
      const run = await evaluateLearning(set, { share, noise: 0.4 }, parts)
      return [...run.values()].map(({ outcomes }) => ndcg(outcomes))
    }
    expect(await figures(0.5)).toEqual(await figures(0.5))
    const [without, learnt] = await figures(0)
    expect(learnt).toBe(without)
  })
})
