import type { Embedder, VectorCache } from '@tooldex/search'
import { describe, expect, it } from 'vitest'
import { apiWith, keysOf, search, TOOLS, tool } from '../ask.case.ts'
import { hashOf, ToolSets } from './tool-sets.ts'

/** Counts embedded texts; vectors are made from the first letters. */
function counting(id: string, isImmediate: boolean): Embedder & { readonly texts: string[] } {
  const texts: string[] = []
  const vectorOf = (text: string): Float32Array => {
    texts.push(text)
    const vector = new Float32Array(8)
    for (const sign of text) vector[sign.charCodeAt(0) % 8] = (vector[sign.charCodeAt(0) % 8] ?? 0) + 1
    const length = Math.hypot(...vector) || 1
    return vector.map((value) => value / length)
  }
  const embed = async (some: readonly string[]) => some.map(vectorOf)
  return { id, dimensions: 8, texts, embed, ...(isImmediate && { embedNow: vectorOf }) }
}

const many = Array.from({ length: 300 }, (_, at) => tool(`server:tool_${at}`, `Does thing ${at}.`))
const sets = (options: Partial<ConstructorParameters<typeof ToolSets>[0]>) =>
  new ToolSets({ embedders: [], onProblem: () => {}, ...options })

describe('ToolSets', () => {
  it('embeds nothing when the same tools come again', async () => {
    const embedder = counting('now', true)
    const kept = sets({ embedders: [embedder] })
    const set = await kept.get(many)
    const before = embedder.texts.length
    expect(before).toBeGreaterThan(0)
    expect(await kept.get(structuredClone(many))).toBe(set)
    expect(embedder.texts).toHaveLength(before)
  })

  it.each([true, false])('embeds only the tool that is new (at once: %s)', async (isImmediate) => {
    const embedder = counting('one', isImmediate)
    const kept = sets({ embedders: [embedder] })
    await kept.get(many)
    const before = embedder.texts.length
    await kept.get([...many, tool('server:fresh', 'Fresh fruit.')])
    const later = embedder.texts.slice(before).filter((text) => text.includes('server: '))
    expect(new Set(later)).toEqual(new Set(['server: fresh. Fresh fruit.']))
  })

  it('builds a set once for concurrent requests', async () => {
    const kept = sets({ embedders: [counting('now', true)] })
    const [one, other] = await Promise.all([kept.get(many), kept.get(structuredClone(many))])
    expect(one).toBe(other)
  })

  it('evicts the oldest set when there are too many tools', async () => {
    const kept = sets({ embedders: [counting('now', true)], cache: { indexedTools: 400 } })
    const set = await kept.get(many)
    await kept.get(many.slice(0, 200))
    expect(await kept.get(many)).not.toBe(set)
  })

  it('loads vectors that a previous process saved', async () => {
    const table = new Map<string, Int8Array>()
    const vectors: VectorCache = {
      load: async (_, hashes) => new Map(hashes.flatMap((hash) => [...table].filter(([known]) => known === hash))),
      save: async (_, made) => made.forEach((vector, hash) => table.set(hash, vector)),
    }
    await sets({ embedders: [counting('model', false)], vectors }).get(many.slice(0, 40))
    const later = counting('model', false)
    await sets({ embedders: [later], vectors }).get(many.slice(0, 40))
    expect(later.texts.filter((text) => text.startsWith('server: '))).toEqual([])
  })

  it('continues without a failing database, and reports it', async () => {
    const told: unknown[] = []
    const broken = async () => {
      throw new Error('connection lost')
    }
    const vectors: VectorCache = { load: broken, save: broken }
    const api = apiWith({ embedders: [counting('model', false)], vectors, onProblem: (error) => told.push(error) })
    const { answeredBy, degraded } = await search(api, { query: ['weather'] })
    expect({ answeredBy, degraded }).toEqual({ answeredBy: 'hybrid', degraded: undefined })
    expect(told).not.toEqual([])
    await api.close()
  })

  it('answers by words while an embedder is slow, and reports it', async () => {
    const never: Embedder = { id: 'never', dimensions: 8, embed: () => new Promise(() => {}) }
    const api = apiWith({ embedders: [never], embedBudgetMs: 1 })
    const answer = await search(api, { query: ['weather'] })
    expect(keysOf(answer)).toEqual(['weather:get_forecast'])
    expect(answer).toMatchObject({ answeredBy: 'bm25', degraded: { strategy: 'hybrid' } })
    await api.close()
  })
})

describe('hashOf', () => {
  it('distinguishes tools whose concatenated parts are equal', () => {
    const one = { toolKey: 'ab', toolName: 'c', serverName: '', description: 'd' }
    const variants = [
      [one],
      [{ ...one, toolKey: 'a', toolName: 'bc' }],
      [{ ...one, description: 'd ' }],
      [{ toolKey: 'ab', toolName: 'c', serverName: 'd' }],
      [{ toolKey: 'ab', toolName: 'cd', serverName: '' }],
      [{ toolKey: 'ab', toolName: 'cd', serverName: '', description: '' }],
      [one, one],
      [{ ...one, toolKey: '\ud800b' }],
      [{ ...one, toolKey: '\ud801b' }],
      TOOLS,
    ]
    expect(new Set(variants.map(hashOf)).size).toBe(variants.length)
  })
})
