import fc from 'fast-check'
import { expect, it } from 'vitest'
import { argumentsOf, fieldsOf } from './schema-fields.ts'

const schema = {
  type: 'object',
  required: ['title'],
  properties: {
    title: { type: 'string', description: 'What it is about' },
    count: { type: 'integer' },
    urgent: { type: 'boolean' },
    state: { enum: ['open', 'closed'] },
    labels: { type: 'array', items: { type: 'string' } },
  },
}

it('uses simple controls for simple parameters, and JSON for the rest', () => {
  expect(fieldsOf(schema).map(({ name, type, control, isRequired }) => [name, type, control, isRequired])).toEqual([
    ['title', 'string', 'text', true],
    ['count', 'integer', 'integer', false],
    ['urgent', 'boolean', 'boolean', false],
    ['state', 'enum', 'choice', false],
    ['labels', 'string[]', 'json', false],
  ])
})

it('turns filled fields into arguments, and leaves out empty ones', () => {
  const filled = new Map([
    ['title', 'Broken link'],
    ['count', '3'],
    ['urgent', 'true'],
    ['labels', '["bug"]'],
  ])
  expect(argumentsOf(fieldsOf(schema), filled)).toEqual({
    values: { title: 'Broken link', count: 3, urgent: true, labels: ['bug'] },
    problems: new Map(),
  })
})

it('reports fields whose value does not match the type', () => {
  const filled = new Map([
    ['count', '1.5'],
    ['labels', 'bug'],
  ])
  expect([...argumentsOf(fieldsOf(schema), filled).problems.keys()]).toEqual(['count', 'labels'])
})

it('accepts any schema that a server may send', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (anything) => {
      expect(fieldsOf({ properties: anything })).toBeInstanceOf(Array)
      expect(fieldsOf(anything)).toBeInstanceOf(Array)
    }),
  )
})
