import { type IndexedTool, ToolScope } from '@tooldex/search'
import { describe, expect, it } from 'vitest'
import { SendableTools } from './sent-tools.ts'

const tool = (id: string, more: Partial<IndexedTool> = {}): IndexedTool => {
  const [namespace = '', name = ''] = id.split(':')
  return { id, name, namespace, ...more }
}

function holding(...added: IndexedTool[]): SendableTools {
  const tools = new SendableTools()
  tools.apply({ added, changed: [], removed: [] })
  return tools
}

describe('SendableTools', () => {
  it('[R31] has key, name, server and description of a tool, and nothing else', () => {
    const rich = tool('a:one', {
      title: 'secret title',
      description: 'Does it',
      inputSchema: { properties: { secret: {} } },
      namespaceDescription: 'secret server',
      tags: ['secret'],
    })
    expect(JSON.parse(holding(rich).within(undefined).json)).toEqual([
      { toolKey: 'a:one', toolName: 'one', serverName: 'a', description: 'Does it' },
    ])
  })

  it('[R17] has only tools that pass the filter', () => {
    const tools = holding(tool('b:two'), tool('a:one'), tool('c:three'))
    for (const filter of [
      new ToolScope(['c:three', 'a:one', 'no:such']),
      new Set(['c:three', 'a:one', 'no:such']),
      ({ id }: IndexedTool) => id !== 'b:two',
    ]) {
      const { json, count, idByKey } = tools.within(filter)
      expect(JSON.parse(json).map(({ toolKey }: { toolKey: string }) => toolKey)).toEqual(['a:one', 'c:three'])
      expect([count, [...idByKey.keys()]]).toEqual([2, ['a:one', 'c:three']])
    }
  })

  it('keeps the list of a scope until the tools change', () => {
    const tools = holding(tool('a:one', { description: 'old' }))
    const [scope, same] = [new ToolScope(['a:one']), new ToolScope(['a:one'])]
    expect(tools.within(scope)).toBe(tools.within(same))
    tools.apply({ added: [], changed: [tool('a:one', { description: 'new' })], removed: [] })
    expect(tools.within(scope).json).toContain('new')
    tools.apply({ added: [], changed: [], removed: [tool('a:one')] })
    expect(tools.within(scope).count).toBe(0)
  })

  it('sends a tool that a project describes under its own key', () => {
    const { json, idByKey } = holding(tool('a:one\u0000hash', { name: 'one' })).within(undefined)
    expect(JSON.parse(json)).toMatchObject([{ toolKey: 'a:one' }])
    expect(idByKey.get('a:one')).toBe('a:one\u0000hash')
  })

  it('leaves out tools that would invalidate the request, and shortens long fields', () => {
    const { json, count } = holding(
      tool('a:one', { description: 'x'.repeat(100_000) }),
      tool(`a:${'k'.repeat(3_000)}`),
      tool('a:nameless', { name: '' }),
    ).within(undefined)
    expect(count).toBe(1)
    expect(json.length).toBeLessThan(10_000)
  })
})
