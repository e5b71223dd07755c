import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { repairTools } from './repair-tools.ts'

const only = (tool: Record<string, unknown>) => repairTools([tool]).tools[0]

describe('repairTools', () => {
  it('leaves a valid tool as it is, unknown fields included', () => {
    const tool = { name: 'a', description: 'A', inputSchema: { type: 'object' }, 'x-vendor': { deep: [1] } }
    expect(only(tool)).toEqual({ definition: tool, repairs: [], needsTask: false })
  })

  it.each([
    ['no inputSchema', { name: 'a' }, { name: 'a', inputSchema: { type: 'object' } }],
    [
      'an inputSchema without type',
      { name: 'a', inputSchema: { properties: { b: {} } } },
      { name: 'a', inputSchema: { properties: { b: {} }, type: 'object' } },
    ],
    ['an inputSchema that is null', { name: 'a', inputSchema: null }, { name: 'a', inputSchema: { type: 'object' } }],
    [
      'a description that is no text',
      { name: 'a', description: 7, inputSchema: { type: 'object' } },
      { name: 'a', inputSchema: { type: 'object' } },
    ],
    [
      'annotations and icons of the wrong kind',
      { name: 'a', annotations: 'x', icons: {}, inputSchema: { type: 'object' } },
      { name: 'a', inputSchema: { type: 'object' } },
    ],
  ])('repairs %s and reports it', (_, listed, mended) => {
    const repaired = only(listed as Record<string, unknown>)
    expect(repaired?.definition).toEqual(mended)
    expect(repaired?.repairs.length).toBeGreaterThan(0)
  })

  it.each(['x'.repeat(200), 'with space', 'ünïcode', '__proto__'])('keeps the name %s', (name) => {
    expect(only({ name, inputSchema: { type: 'object' } })?.definition.name).toBe(name)
  })

  it('keeps the first of two tools with one name, and reports the other and those without a name', () => {
    const { tools, problems } = repairTools([
      { name: 'a', title: 'first' },
      { name: 'a', title: 'second' },
      { title: 'x' },
    ])
    expect(tools.map(({ definition }) => definition.title)).toEqual(['first'])
    expect(problems).toEqual([
      'There is a second tool "a"; the first is kept.',
      'Tool 3 has no name and cannot be called.',
    ])
  })

  it('marks tools that can only be called as tasks', () => {
    expect(only({ name: 'a', execution: { taskSupport: 'required' } })?.needsTask).toBe(true)
    expect(only({ name: 'a', execution: { taskSupport: 'optional' } })?.needsTask).toBe(false)
  })

  it('does not pass on that tools can be called as tasks', () => {
    const definition = (execution: unknown) => only({ name: 'a', execution })?.definition
    for (const taskSupport of ['optional', 'required', 'forbidden']) {
      expect(definition({ taskSupport })).not.toHaveProperty('execution')
      expect(definition({ taskSupport, other: 1 })).toMatchObject({ execution: { other: 1 } })
      expect(JSON.stringify(definition({ taskSupport, other: 1 }))).not.toContain('taskSupport')
    }
    expect(definition('odd')).toMatchObject({ execution: 'odd' })
  })

  it('never throws, loses no named tool, and always ends with a schema of an object', () => {
    const tool = fc.dictionary(
      fc.constantFrom('name', 'inputSchema', 'description', 'annotations', 'x'),
      fc.jsonValue(),
    )
    fc.assert(
      fc.property(fc.array(tool), (listed) => {
        const { tools } = repairTools(listed)
        const names = new Set(listed.flatMap(({ name }) => (typeof name === 'string' && name !== '' ? [name] : [])))
        expect(new Set(tools.map(({ definition }) => definition.name))).toEqual(names)
        for (const { definition } of tools) expect(definition.inputSchema?.['type']).toBe('object')
      }),
    )
  })
})
