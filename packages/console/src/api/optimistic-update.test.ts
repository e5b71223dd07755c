import { QueryClient } from '@tanstack/react-query'
import { expect, it } from 'vitest'
import { changedIn, updateOptimistically } from './optimistic-update.ts'

interface Tool {
  readonly key: string
  readonly allowed: boolean
}

const tool = (key: string, allowed: boolean): Tool => ({ key, allowed })
const list = (allowed: boolean) => ({ items: [tool('a:x', true), tool('a:y', allowed)], total: 2 })
const forbidY = (answer: unknown): unknown =>
  changedIn<Tool>(
    answer,
    (thing) => 'key' in thing && thing.key === 'a:y',
    (meant) => ({ ...meant, allowed: false }),
  )

it('changes one entry in every answer that contains it', () => {
  expect(forbidY(list(true))).toEqual(list(false))
  expect(forbidY({ pages: [list(true), list(true)] })).toEqual({ pages: [list(false), list(false)] })
  expect(forbidY(tool('a:y', true))).toEqual(tool('a:y', false))
})

it('leaves other entries unchanged', () => {
  expect(forbidY(undefined)).toBeUndefined()
  expect(forbidY(tool('a:x', true))).toEqual(tool('a:x', true))
})

it('updates every cached answer, and restores each after a refusal', () => {
  const client = new QueryClient()
  client.setQueryData(['listTools', { q: 'y' }], { pages: [list(true)] })
  client.setQueryData(['getTool', { tool: 'a:y' }], tool('a:y', true))
  client.setQueryData(['listServers', {}], 'untouched')
  const rollBack = updateOptimistically(client, ['listTools', 'getTool'], forbidY)
  expect(client.getQueryData(['listTools', { q: 'y' }])).toEqual({ pages: [list(false)] })
  expect(client.getQueryData(['getTool', { tool: 'a:y' }])).toEqual(tool('a:y', false))
  rollBack()
  expect(client.getQueryData(['listTools', { q: 'y' }])).toEqual({ pages: [list(true)] })
  expect(client.getQueryData(['getTool', { tool: 'a:y' }])).toEqual(tool('a:y', true))
  expect(client.getQueryData(['listServers', {}])).toBe('untouched')
})
