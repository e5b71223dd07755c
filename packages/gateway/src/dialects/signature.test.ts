import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { signature } from './signature.ts'

describe('signature', () => {
  const cases: readonly (readonly [string, unknown, string])[] = [
    ['nothing', undefined, 't()'],
    ['no parameters', { type: 'object' }, 't()'],
    [
      'required before optional',
      { properties: { b: { type: 'number' }, a: { type: 'string' } }, required: ['a'] },
      't(a: string, b?: number)',
    ],
    ['lists', { properties: { a: { type: 'array', items: { type: 'string' } } } }, 't(a?: string[])'],
    ['lists of anything', { properties: { a: { type: 'array' } } }, 't(a?: any[])'],
    ['choices', { properties: { a: { enum: ['x', 2, null] } } }, 't(a?: "x" | 2 | null)'],
    ['a constant', { properties: { a: { const: 'x' } } }, 't(a?: "x")'],
    ['many choices', { properties: { a: { enum: [1, 2, 3, 4, 5, 6] } } }, 't(a?: 1 | 2 | 3 | 4 | 5 | …)'],
    ['long choices', { properties: { a: { enum: ['x'.repeat(80), 1] } } }, 't(a?: string | number)'],
    ['several types', { properties: { a: { type: ['string', 'null'] } } }, 't(a?: string | null)'],
    [
      'alternatives in a list',
      { properties: { a: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } } } },
      't(a?: (string | number)[])',
    ],
    [
      'what an object needs',
      {
        properties: { a: { type: 'object', properties: { b: { type: 'string' }, c: {} }, required: ['b'] } },
        required: ['a'],
      },
      't(a: { b: string, … })',
    ],
    ['a plain object', { properties: { a: { type: 'object', properties: { b: {} } } } }, 't(a?: object)'],
    ['a required one without schema', { required: ['a'] }, 't(a: any)'],
    [
      'alternatives at the root',
      { properties: { a: {}, b: {} }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      't(a?: any, b?: any)',
    ],
    ['conditions at the root', { allOf: [{ properties: { a: { type: 'string' } }, required: ['a'] }] }, 't(a: string)'],
    ['a name that is no word', { required: ['a\nb'] }, 't("a\\nb": any)'],
    ['a reserved name', JSON.parse('{"properties":{"__proto__":{"type":"string"}}}'), 't(__proto__?: string)'],
    ['what is no schema', { properties: [1], required: 'a', anyOf: 3 }, 't()'],
  ]
  it.each(cases)('shows %s', (_title, schema, expected) => {
    expect(signature('t', schema)).toBe(expected)
  })

  it('leaves out optional parameters beyond a line', () => {
    const properties = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`parameter_${index}`, {}]))
    const line = signature('t', { properties, required: ['parameter_39'] })
    expect(line).toMatch(/^t\(parameter_39: any, parameter_0\?: any, .*, …\d+ optional\)$/)
    expect(line.length).toBeLessThan(250)
  })

  it('[R11] never drops a required parameter and stays on one line, for any schema', () => {
    const schemas = fc.record({
      properties: fc.dictionary(fc.string(), fc.jsonValue()),
      required: fc.array(fc.string(), { maxLength: 60 }),
      anyOf: fc.array(fc.record({ required: fc.array(fc.string()) }), { maxLength: 4 }),
    })
    fc.assert(
      fc.property(schemas, (schema) => {
        const line = signature('t', schema)
        for (const name of [...schema.required, ...schema.anyOf.flatMap((branch) => branch.required)]) {
          expect(line.includes(name) || line.includes(JSON.stringify(name).slice(1, -1))).toBe(true)
        }
        expect(line).not.toMatch(/[\n\r\u2028\u2029]/)
      }),
    )
  })

  it('terminates for a deep and wide schema', () => {
    let schema: object = { type: 'string' }
    for (let depth = 0; depth < 5_000; depth++) {
      schema = { type: 'object', properties: { a: schema, b: schema }, required: ['a', 'b'], anyOf: [schema, schema] }
    }
    expect(signature('t', schema).length).toBeLessThan(1_000)
  })
})
