import { describe, expect, it } from 'vitest'
import { ArgumentValidator } from './validate-arguments.ts'

const PATHS = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: { path: { type: 'string', description: 'Where' }, depth: { type: 'integer' }, ratio: { type: 'number' } },
  required: ['path'],
  additionalProperties: false,
}

const check = (inputSchema: Record<string, unknown>, args: Record<string, unknown>) =>
  new ArgumentValidator().check({ name: 'x', inputSchema }, args)

describe('ArgumentValidator', () => {
  it.each([{ path: '' }, { path: 'a', depth: 2 }, { path: 'a', ratio: 0.5, depth: -1e3 }])('accepts %j', (args) => {
    expect(check(PATHS, args)).toEqual([])
  })

  it.each([{}, { path: 1 }, { path: 'a', depth: 1.5 }, { path: 'a', ratio: '1' }, { path: 'a', more: 1 }])(
    'explains what is wrong with %j',
    (args) => {
      expect(check(PATHS, args).length).toBeGreaterThan(0)
    },
  )

  it('names the place of a mistake', () => {
    expect(check(PATHS, { path: 1 }).join()).toContain('path: ')
  })

  it.each([
    ['has an unresolvable reference', { type: 'object', properties: { a: { $ref: '#/nowhere' } } }],
    ['has a broken pattern', { type: 'object', properties: { a: { type: 'string', pattern: '(' } } }],
    ['is very large', { type: 'object', required: ['b'], description: 'x'.repeat(200_000) }],
  ])('leaves a schema to the server that %s', (_, schema) => {
    expect(check(schema, { a: 'text' })).toEqual([])
  })
})
