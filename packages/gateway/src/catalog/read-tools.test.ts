import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { atOnce } from '../in-slices.ts'
import type { CatalogTool } from './catalog.ts'
import { definitionOf, FakePool } from './fake-pool.case.ts'
import { LiveCatalog } from './live-catalog.ts'
import { isSame, readSteps } from './read-tools.ts'

const SERVER = { id: 's', name: 'Server' }
type Raw = Readonly<Record<string, unknown>>

const read = (items: readonly Raw[], before: ReadonlyMap<string, CatalogTool> = new Map(), server = SERVER) =>
  atOnce(readSteps({ items, remarks: [] }, server, before))

const schemaOf = (text: string): Raw => ({ type: 'object', properties: { [text]: { type: 'string' } } })

describe('readSteps', () => {
  const items = [
    { name: 'a', description: 'First', inputSchema: schemaOf('x') },
    { name: 'b', inputSchema: schemaOf('y'), annotations: { readOnlyHint: true } },
  ]
  const before = read(items).tools

  it('keeps the map when a list is sent again, in any order of tools and of members', () => {
    expect(read(structuredClone(items), before).tools).toBe(before)
    const turned = items.toReversed().map((item) => Object.fromEntries(Object.entries(item).toReversed()))
    expect(read(turned, before).tools).toBe(before)
  })

  it.each<[string, readonly Raw[]]>([
    ['a description', [{ ...items[0], description: 'Other' }]],
    ['no description', [{ name: 'a', inputSchema: schemaOf('x') }]],
    ['another member instead', [{ name: 'a', title: 'First', inputSchema: schemaOf('x') }]],
    ['a schema', [{ ...items[0], inputSchema: schemaOf('z') }]],
    ['a repair', [{ ...items[0], inputSchema: { properties: { x: { type: 'string' } } } }]],
  ])('replaces exactly the tool that has changed: %s', (_, changed) => {
    const { tools } = read([...changed, ...items.slice(1)], before)
    expect(tools.get('a')).not.toBe(before.get('a'))
    expect(tools.get('b')).toBe(before.get('b'))
  })

  it('replaces all tools when the server has another name', () => {
    const { tools } = read(items, before, { ...SERVER, name: 'Other' })
    expect([...tools.values()].map(({ serverName }) => serverName)).toEqual(['Other', 'Other'])
  })

  it('makes a new map when a tool is gone', () => {
    expect([...read(items.slice(1), before).tools.keys()]).toEqual(['b'])
  })

  it('leaves out tools that only run as tasks, with a remark', () => {
    const { tools, remarks } = read([{ name: 't', execution: { taskSupport: 'required' } }])
    expect(tools.size).toBe(0)
    expect(remarks).toEqual([expect.stringContaining('"t" runs only as a task')])
  })
})

describe('LiveCatalog with a large server', () => {
  it('shows a list whole or not at all while it is taken over in slices', async () => {
    const pool = new FakePool()
    const server = pool.add(definitionOf('s'))
    server.pageSize = 5_000
    const long = 'long '.repeat(400)
    server.tools = Array.from({ length: 1_000 }, (_, at) => ({ name: `t${at}`, description: `${long}${at}` }))
    const lastGood = { load: () => Promise.resolve(undefined), save: () => Promise.resolve() }
    const catalog = new LiveCatalog({ pool, lastGood, now: Date.now })
    const sizes = new Set<number>()
    await catalog.start()
    while (catalog.snapshot().tools.size === 0) {
      sizes.add(catalog.snapshot().tools.size)
      await setImmediate()
    }
    sizes.add(catalog.snapshot().tools.size)
    expect([...sizes]).toEqual([0, 1_000])
    expect([...catalog.snapshot().tools.keys()]).toEqual(server.tools.map(({ name }) => `s:${String(name)}`))
    await catalog.stop()
  })
})

describe('isSame', () => {
  it('compares JSON values, whatever the order of members', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const [a, b] = [one, other].map((value) => JSON.parse(JSON.stringify(value)) as unknown)
        expect(isSame(a, structuredClone(a))).toBe(true)
        expect(isSame(a, b)).toBe(JSON.stringify(a) === JSON.stringify(b) || isSame(b, a))
      }),
    )
    expect(isSame({ a: 1, b: [2] }, { b: [2], a: 1 })).toBe(true)
    expect(isSame([1, 2], [2, 1])).toBe(false)
    expect(isSame(null, {})).toBe(false)
  })
})
