import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fieldsOf } from './schema-fields.ts'

it('names the type of every parameter', () => {
  const schema = {
    type: 'object',
    required: ['title'],
    properties: {
      title: { type: 'string', description: 'What it is about' },
      state: { enum: ['open', 'closed'] },
      labels: { type: 'array', items: { type: 'string' } },
      size: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    },
  }
  expect(fieldsOf(schema)).toEqual([
    { name: 'title', type: 'string', isRequired: true, description: 'What it is about' },
    { name: 'state', type: 'enum', isRequired: false, description: '' },
    { name: 'labels', type: 'string[]', isRequired: false, description: '' },
    { name: 'size', type: 'integer | null', isRequired: false, description: '' },
  ])
})

it('accepts any schema that a server may send', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (anything) => {
      expect(Array.isArray(fieldsOf({ properties: anything }))).toBe(true)
      expect(Array.isArray(fieldsOf(anything))).toBe(true)
    }),
  )
})
