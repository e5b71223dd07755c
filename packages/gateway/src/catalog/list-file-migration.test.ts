import { describe, expect, it } from 'vitest'
import type { LastGoodLists, LastGoodStore } from '../model/last-good.ts'
import { withListFiles } from './last-good-files.ts'

const listsOf = (tool: string): LastGoodLists => ({
  origin: 'o',
  lists: { tools: [{ name: tool }], prompts: [], resources: [], resourceTemplates: [] },
})
const memory = (
  ...entries: [string, LastGoodLists][]
): LastGoodStore & { readonly kept: Map<string, LastGoodLists> } => {
  const kept = new Map(entries)
  return { kept, load: async (id) => kept.get(id), save: async (id, lists) => void kept.set(id, lists) }
}

describe('withListFiles', () => {
  it('copies the lists of an earlier release once', async () => {
    const [store, files] = [memory(), memory(['s', listsOf('old')])]
    const both = withListFiles(store, files)
    expect(await both.load('s')).toEqual(listsOf('old'))
    expect(store.kept.get('s')).toEqual(listsOf('old'))
    files.kept.clear()
    expect(await both.load('s')).toEqual(listsOf('old'))
    expect(await both.load('other')).toBeUndefined()
  })

  it('prefers stored lists, and saves new lists in the store only', async () => {
    const [store, files] = [memory(['s', listsOf('new')]), memory(['s', listsOf('old')])]
    const both = withListFiles(store, files)
    expect(await both.load('s')).toEqual(listsOf('new'))
    await both.save('s', listsOf('newer'))
    expect([store.kept.get('s'), files.kept.get('s')]).toEqual([listsOf('newer'), listsOf('old')])
  })

  it('answers although the store cannot save', async () => {
    const full = { load: async () => undefined, save: () => Promise.reject(new Error('disk full')) }
    expect(await withListFiles(full, memory(['s', listsOf('old')])).load('s')).toEqual(listsOf('old'))
  })
})
