import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Draft, draftOf, emptyDraft, valueOf } from './draft.ts'
import { nodeOf } from './schema-node.ts'

const text = (value: string): Draft => ({ kind: 'text', text: value })
const object = (fields: Record<string, Draft>): Draft => ({ kind: 'object', fields, others: [] })
const survives = (schema: unknown, value: unknown) => {
  const draft = draftOf(value, schema, schema)
  expect(valueOf(draft, schema, schema)).toEqual({ value, problems: [] })
  return draft
}

describe('the form of a schema', () => {
  it('has nested objects, lists, tuples, choices and variants, each with its own fields', () => {
    const schema = {
      type: 'object',
      properties: {
        who: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
        tags: { type: 'array', items: { type: 'string' } },
        at: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'string' }], items: false },
        size: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
        mode: { enum: ['a', 2, null] },
        extra: { type: 'object', additionalProperties: { type: 'integer' } },
      },
    }
    const draft = survives(schema, {
      ...{ who: { name: 'Ann' }, tags: ['x', 'y'], at: [1.5, 'z'], size: null, mode: 2, extra: { many: 3 } },
    })
    expect(JSON.stringify(draft)).not.toContain('json')
    expect(draft).toMatchObject({ fields: { size: { kind: 'either', at: 1 }, mode: { kind: 'choice', at: 1 } } })
  })

  it('follows references, also in circles', () => {
    const schema = {
      $ref: '#/$defs/tree',
      $defs: {
        tree: {
          type: 'object',
          properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/tree' } } },
          required: ['name', 'children'],
        },
      },
    }
    survives(schema, { name: 'a', children: [{ name: 'b', children: [] }] })
    expect(emptyDraft(schema, schema, true)).toEqual(
      object({ name: { kind: 'unset' }, children: { kind: 'list', items: [] } }),
    )
    expect(nodeOf({ $ref: '#/a' }, { a: { $ref: '#/a' } }).kind).toBe('json')
    expect(nodeOf({ $ref: 'https://example.org/x' }, {}).kind).toBe('json')
  })

  it('joins the parts of allOf', () => {
    const schema = {
      allOf: [
        { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
        { properties: { b: { type: 'integer' } } },
      ],
    }
    expect(nodeOf(schema, schema)).toMatchObject({
      kind: 'object',
      fields: [{ name: 'a', isRequired: true }, { name: 'b' }].map((field) => expect.objectContaining(field)),
    })
  })

  it('says what is missing or beyond a limit, and where', () => {
    const schema = {
      type: 'object',
      required: ['name', 'list'],
      properties: {
        name: { type: 'string', minLength: 2 },
        count: { type: 'integer', minimum: 1, maximum: 5 },
        mail: { type: 'string', format: 'email' },
        list: {
          type: 'array',
          minItems: 2,
          items: { type: 'object', required: ['id'], properties: { id: { type: 'number' } } },
        },
      },
    }
    const draft = object({
      ...{ name: text('x'), count: text('9'), mail: text('nowhere') },
      list: { kind: 'list', items: [object({ id: text('many') })] },
    })
    expect(valueOf(draft, schema, schema).problems).toEqual([
      { path: 'name', what: 'tooShort', limit: 2 },
      { path: 'count', what: 'tooHigh', limit: 5 },
      { path: 'mail', what: 'format', limit: 'email' },
      { path: 'list', what: 'tooFew', limit: 2 },
      { path: 'list[0].id', what: 'number' },
    ])
    expect(valueOf(object({}), schema, schema).problems.map(({ path }) => path)).toEqual(['name', 'list'])
  })

  it('shows a value that does not fit as JSON, and keeps it', () => {
    const schema = { type: 'object', properties: { count: { type: 'integer' } }, additionalProperties: false }
    expect(survives(schema, { count: 'three' })).toMatchObject({ fields: { count: { kind: 'json' } } })
    expect(survives(schema, { other: 1 })).toMatchObject({ kind: 'json' })
  })

  it('keeps every value of any schema, and fails on none', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (schema, value) => {
        // A form keeps text, and JSON writes -0 as 0.
        const written: unknown = JSON.parse(JSON.stringify(value))
        expect(valueOf(draftOf(value, schema, schema), schema, schema).value).toEqual(written)
        emptyDraft(schema, schema, true)
      }),
    )
  })
})
