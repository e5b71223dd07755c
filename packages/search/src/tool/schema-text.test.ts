import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { schemaText } from './schema-text.ts'

describe('schemaText', () => {
  it('takes property names, descriptions and enum values, nested ones included', () => {
    const text = schemaText({
      type: 'object',
      description: 'says what the tool already says',
      properties: {
        state: { enum: ['open', 'closed'], description: 'Which issues' },
        filter: { type: 'array', items: { properties: { label: { type: 'string', description: 'A label' } } } },
      },
    })
    expect(text.names).toEqual(['state', 'filter', 'label'])
    expect(text.details).toEqual(['Which issues', 'open', 'closed', 'A label'])
  })

  it('stops at its limits instead of following references or depth', () => {
    const cyclic: Record<string, unknown> = { type: 'object' }
    cyclic['properties'] = { self: cyclic, again: { $ref: '#' } }
    let deep: Record<string, unknown> = { description: 'bottom' }
    for (let level = 0; level < 10_000; level++) deep = { properties: { next: deep } }
    expect(schemaText(cyclic).names.length).toBeLessThan(500)
    expect(schemaText(deep).details).not.toContain('bottom')
  })

  it('takes any JSON without throwing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(Array.isArray(schemaText(value).names)).toBe(true)
      }),
    )
  })
})
