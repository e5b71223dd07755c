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
    ['many choices', { properties: { a: { enum: [1, 2, 3, 4, 5, 6] } } }, 't(a?: 1 | 2 | 3 | 4 | 5 | 6)'],
    ['long choices', { properties: { a: { enum: ['x'.repeat(80), 1] } } }, 't(a?: 1 | …1 more)'],
    ['nothing but long choices', { properties: { a: { enum: ['x'.repeat(80), null] } } }, 't(a?: null | …1 more)'],
    ['several types', { properties: { a: { type: ['string', 'null'] } }, required: ['a'] }, 't(a: string | null)'],
    ['no null for what may be left out', { properties: { a: { anyOf: [{ type: 'null' }, {}] } } }, 't(a?: any)'],
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
      't(a: {b: string, c?: any})',
    ],
    ['a plain object', { properties: { a: { type: 'object' } } }, 't(a?: object)'],
    [
      'objects in a list',
      { properties: { a: { type: 'array', items: { properties: { b: {} } } } } },
      't(a?: {b?: any}[])',
    ],
    [
      'alternative objects in a list',
      { properties: { a: { items: { oneOf: [{ properties: { b: {} } }, { properties: { c: {} } }] } } } },
      't(a?: ({b?: any} | {c?: any})[])',
    ],
    [
      'a map',
      { properties: { a: { type: 'object', additionalProperties: { type: 'number' } } } },
      't(a?: {[key]: number})',
    ],
    ['a pair', { properties: { a: { type: 'array', prefixItems: [{ type: 'string' }, {}] } } }, 't(a?: [string, any])'],
    [
      'limits',
      {
        properties: {
          a: { type: 'integer', minimum: 1, maximum: 9 },
          b: { type: 'string', format: 'date' },
          c: { type: 'array', items: { type: 'string' }, minItems: 1 },
          d: { type: 'number', exclusiveMinimum: 0, maximum: Number.MAX_SAFE_INTEGER },
          e: { type: 'string', pattern: '^a+$' },
          f: { type: 'string', minLength: 2, maxLength: 4 },
        },
      },
      't(a?: integer (1..9), b?: string (date), c?: string[] (≥1 items), d?: number (>0), e?: string (/^a+$/), f?: string (2..4 characters))',
    ],
    [
      'definitions once, and cyclic ones',
      {
        properties: { a: { $ref: '#/$defs/Node' }, b: { $ref: '#/$defs/Colour' } },
        $defs: {
          Node: {
            type: 'object',
            properties: { next: { $ref: '#/$defs/Node' }, in: { $ref: '#' } },
            required: ['next'],
          },
          Colour: { enum: ['red'] },
        },
      },
      't(a?: Node, b?: "red") where Node = {next: Node, in?: Type}; Type = {a?: Node, b?: "red"}',
    ],
    [
      'merged parts',
      {
        properties: { a: { allOf: [{ $ref: '#/$defs/B' }, { properties: { c: {} }, required: ['c'] }] } },
        $defs: { B: { properties: { b: {} } } },
      },
      't(a?: {c: any, b?: any})',
    ],
    [
      'a reference to nothing',
      { properties: { a: { $ref: '#/$defs/no' }, b: { $ref: 'http://x/y' } } },
      't(a?: any, b?: any)',
    ],
    ['a reference to itself', { properties: { a: { $ref: '#/properties/a' } } }, 't(a?: any)'],
    ['a required one without schema', { required: ['a'] }, 't(a: any)'],
    [
      'alternatives at the root',
      { properties: { a: {}, b: {} }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      't(a?: any, b?: any; needs a | b)',
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

  it('[R11] shows every required one of 300 parameters, and stays within its room for the others', () => {
    const names = Array.from({ length: 300 }, (_, index) => `parameter_${index}`)
    const properties = Object.fromEntries(names.map((name) => [name, { type: 'string', description: 'x'.repeat(500) }]))
    expect(signature('', { properties, required: names.slice(290) }, { most: 1_000 }).length).toBeLessThan(1_000)
    const all = signature('', { properties, required: names }, { most: 40 })
    for (const name of names) expect(all).toContain(`${name}: string`)
  })

  it('[R11] adds descriptions of parameters where there is room', () => {
    const schema = { properties: { a: { type: 'string', description: 'Where\nto look */ now' } } }
    expect(signature('t', schema, { notes: true })).toBe('t(a?: string /* Where to look now */)')
    expect(signature('t', schema, { notes: true, most: 20 })).toBe('t(a?: string)')
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
