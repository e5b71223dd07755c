import { type Schema, Validator } from '@cfworker/json-schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ArgumentValidator } from './validate-arguments.ts'

type Json = Record<string, unknown>

const PATHS = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: { path: { type: 'string', description: 'Where' }, depth: { type: 'integer' }, ratio: { type: 'number' } },
  required: ['path'],
  additionalProperties: false,
}

const check = async (inputSchema: Json, args: Json) =>
  await new ArgumentValidator().check({ name: 'x', inputSchema }, args)

/** The mistakes, and the reasons for which checks were left to the server. */
async function checked(inputSchema: Json, args: Json) {
  const left: string[] = []
  const validator = new ArgumentValidator((_, reason) => left.push(reason))
  return { mistakes: await validator.check({ name: 'x', inputSchema }, args), left }
}

const takes = (a: unknown, more: Json = {}): Json => ({ type: 'object', properties: { a }, ...more })

describe('ArgumentValidator', () => {
  it.each([{ path: '' }, { path: 'a', depth: 2 }, { path: 'a', ratio: 0.5, depth: -1e3 }])(
    'accepts %j',
    async (args) => {
      expect(await check(PATHS, args)).toEqual([])
    },
  )

  it.each([{}, { path: 1 }, { path: 'a', depth: 1.5 }, { path: 'a', ratio: '1' }, { path: 'a', more: 1 }])(
    'explains what is wrong with %j',
    async (args) => {
      expect((await check(PATHS, args)).length).toBeGreaterThan(0)
    },
  )

  it('names the place of a mistake', async () => {
    const schema = takes({ type: 'array', items: { properties: { b: { enum: ['x', 'y'] } } } })
    expect(await check(schema, { a: [{ b: 'x' }, { b: 'z' }] })).toEqual(['a.1.b: must be one of "x", "y"'])
    expect(await check(PATHS, { path: 1 })).toEqual(['path: must be string, not number'])
    expect(await check(PATHS, {})).toEqual(['needs "path"'])
  })

  it('names at most eight mistakes', async () => {
    const schema = { type: 'object', additionalProperties: { type: 'string' } }
    const args = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`p${at}`, at]))
    expect(await check(schema, args)).toHaveLength(8)
  })

  it.each([
    ['has an unresolvable reference', { type: 'object', properties: { a: { $ref: '#/nowhere' } } }],
    ['has a broken pattern', { type: 'object', properties: { a: { type: 'string', pattern: '(' } } }],
    ['is very large', { type: 'object', required: ['b'], description: 'x'.repeat(200_000) }],
  ])('leaves a schema to the server that %s', async (_, schema) => {
    expect(await check(schema, { a: 'text' })).toEqual([])
  })

  it('leaves a pattern to the server that the engine cannot express, and checks the rest', async () => {
    const schema = takes({ type: 'string', pattern: '^(?=.*\\d).{8,}$' }, { required: ['a', 'b'] })
    expect(await checked(schema, { a: 'short', b: 1 })).toEqual({
      mistakes: [],
      left: ['its schema has parts that only the server can check'],
    })
    expect(await check(schema, { a: 'short' })).toEqual(['needs "b"'])
  })

  it('does not take an undecided schema for one that fails where that would be a mistake', async () => {
    const undecided = { pattern: '(?=x)' }
    expect(await check(takes({ not: undecided }), { a: 'y' })).toEqual([])
    expect(await check(takes({ oneOf: [undecided, { type: 'string' }] }), { a: 'y' })).toEqual([])
    expect(await check(takes({ if: undecided, else: { type: 'number' } }), { a: 'y' })).toEqual([])
    const keys = { type: 'object', patternProperties: { '(?=x)': {} }, additionalProperties: false }
    expect(await check(keys, { a: 'y' })).toEqual([])
  })

  it.each([
    ['\\s*', '\u00a0', 0],
    ['^\\d{4}-\\d{2}$', '2020-13', 0],
    ['^\\d{4}-\\d{2}$', '20-1', 1],
    ['^[\\u4e00-\\u9fa5]+$', 'latin', 1],
    ['^\\/a\\-b$', '/a-b', 0],
    ['(?<a>x)\\k<a>', 'x', 0],
    ['^a$', 'a\n', 1],
  ])('reads the pattern %s as JavaScript does', async (pattern, a, mistakes) => {
    expect(await check(takes({ pattern }), { a })).toHaveLength(mistakes)
  })
})

/** Schemas and arguments on which a checker without limits hangs or crashes. */
const nested = (levels: number, wrap: (inner: unknown) => unknown): unknown => {
  let schema: unknown = { type: 'string' }
  for (let level = 0; level < levels; level++) schema = wrap(schema)
  return schema
}
const doubledRefs = {
  type: 'object',
  $defs: Object.fromEntries(
    Array.from({ length: 27 }, (_, at) => [
      `d${at}`,
      at === 26 ? {} : { allOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
    ]),
  ),
  $ref: '#/$defs/d0',
}
const deepValue = (levels: number): unknown => {
  let value: unknown = 'x'
  for (let level = 0; level < levels; level++) value = [value]
  return value
}

describe('a schema bomb', () => {
  it.each<[string, Json, Json]>([
    ['doubled references', doubledRefs, {}],
    ['a reference to itself', { type: 'object', $ref: '#' }, {}],
    [
      'two references to each other',
      { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' },
      {},
    ],
    ['3,000 levels of anyOf', takes(nested(3_000, (inner) => ({ anyOf: [inner] }))), { a: 1 }],
    [
      '3,000 levels of properties',
      nested(3_000, (a) => ({ properties: { a } })) as Json,
      nested(1_000, (a) => ({ a })) as Json,
    ],
    ['20 levels of doubled allOf', takes(nested(20, (inner) => ({ allOf: [inner, inner] }))), { a: 'x' }],
    [
      'a recursive schema and 5,000 levels',
      { $defs: { l: { items: { $ref: '#/$defs/l' } } }, ...takes({ $ref: '#/$defs/l' }) },
      { a: deepValue(5_000) },
    ],
    ['uniqueItems with deep items', takes({ uniqueItems: true }), { a: [deepValue(50_000), 1] }],
    [
      '200,000 items that are checked',
      takes({ items: { type: 'number' }, uniqueItems: true }),
      { a: Array.from({ length: 200_000 }, (_, at) => at) },
    ],
    ['a pattern with many states', takes({ pattern: '(a{1,100}b?){1,10}$' }), { a: 'a'.repeat(100_000) }],
    [
      '10,000 patternProperties',
      {
        type: 'object',
        patternProperties: Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`^(a|a)*${at}$`, {}])),
      },
      { aaaa: 1 },
    ],
    [
      'a long list of long names',
      { type: 'object', propertyNames: { pattern: '^(\\w+\\s?)*$' } },
      Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`${'word '.repeat(50)}${at}!`, 1])),
    ],
  ])('is left to the server: %s', async (_, schema, args) => {
    const { mistakes, left } = await checked(schema, args)
    expect(mistakes).toEqual([])
    expect(left).toHaveLength(1)
  })

  it.each<[string, Json, Json, number]>([
    [
      'nested quantifiers',
      takes({ type: 'string', pattern: '^(\\w+\\s?)*$' }),
      { a: 'ten words of a sentence that ends in an exclamation mark!' },
      1,
    ],
    [
      'nested quantifiers in names',
      { type: 'object', patternProperties: { '^(a|a)*$': { type: 'string' } } },
      { [`${'a'.repeat(50)}!`]: 1 },
      0,
    ],
    [
      'uniqueItems with 30,000 items',
      takes({ uniqueItems: true }),
      { a: Array.from({ length: 30_000 }, (_, at) => at) },
      0,
    ],
    [
      'uniqueItems with a late pair',
      takes({ uniqueItems: true }),
      { a: [...Array.from({ length: 900 }, (_, at) => ({ at })), { at: 899 }] },
      1,
    ],
    [
      'an enum of 10,000 values',
      takes({ enum: Array.from({ length: 10_000 }, (_, at) => `v${at}`) }),
      { a: 'none' },
      1,
    ],
    ['a long text with a format', takes({ type: 'string', format: 'hostname' }), { a: `${'a-'.repeat(500_000)}_` }, 1],
    ['a long text with a length', takes({ type: 'string', maxLength: 300_000 }), { a: 'x'.repeat(400_000) }, 1],
  ])('is checked in time that grows with its size: %s', async (_, schema, args, mistakes) => {
    expect(await check(schema, args)).toHaveLength(mistakes)
  })
})

describe('a check', () => {
  const name = fc.constantFrom('a', 'b', 'c')
  const value = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<unknown>(null, true, false, '', 'a', 'ab', 'é', 0, 1, 2, 1.5, -1),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(name, tie('value'), { maxKeys: 3 }),
    ),
  })).value
  const schema = fc.letrec<{ schema: unknown }>((tie) => {
    const inner = tie('schema')
    const some = fc.array(inner, { minLength: 1, maxLength: 2 })
    return {
      schema: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constantFrom<unknown>(
          true,
          false,
          {},
          { type: 'string' },
          { type: ['integer', 'null'] },
          { type: 'object' },
          { type: 'array' },
          { $ref: '#/$defs/d' },
        ),
        fc.record({ enum: fc.array(value, { minLength: 1, maxLength: 3 }) }),
        fc.record({ const: value.filter((each) => each !== null) }),
        fc.record(
          {
            minimum: fc.constantFrom(0, 1),
            exclusiveMaximum: fc.constantFrom(1, 2),
            multipleOf: fc.constantFrom(1, 0.5),
          },
          { requiredKeys: [] },
        ),
        fc.record(
          {
            minLength: fc.constantFrom(0, 1, 2),
            maxLength: fc.constantFrom(1, 2),
            pattern: fc.constantFrom('^a', 'b$', '^é$'),
          },
          { requiredKeys: [] },
        ),
        fc.record(
          {
            minItems: fc.constantFrom(1, 2),
            maxItems: fc.constantFrom(1, 2),
            uniqueItems: fc.boolean(),
            items: inner,
            prefixItems: some,
            contains: inner,
            minContains: fc.constantFrom(1, 2),
            maxContains: fc.constantFrom(1, 2),
          },
          { requiredKeys: [] },
        ),
        fc.record(
          {
            properties: fc.dictionary(name, inner, { maxKeys: 2 }),
            patternProperties: fc.dictionary(fc.constantFrom('a|b', '^c$'), inner, { maxKeys: 1 }),
            additionalProperties: inner,
            required: fc.uniqueArray(name, { maxLength: 2 }),
            propertyNames: inner,
            minProperties: fc.constantFrom(0, 1),
            maxProperties: fc.constantFrom(1, 2),
            dependentRequired: fc.dictionary(name, fc.uniqueArray(name), { maxKeys: 1 }),
            dependentSchemas: fc.dictionary(name, inner, { maxKeys: 1 }),
          },
          { requiredKeys: [] },
        ),
        fc.record({ anyOf: some, allOf: some, oneOf: some, not: inner }, { requiredKeys: [] }),
        fc.dictionary(fc.constantFrom('if', 'then', 'else'), inner),
      ),
    }
  }).schema

  it('agrees with a checker without limits', async () => {
    const validator = new ArgumentValidator()
    await fc.assert(
      fc.asyncProperty(
        schema,
        fc.constantFrom<unknown>({ type: 'string' }, { minimum: 1 }, { items: false }),
        value,
        async (a, d, given) => {
          const inputSchema = { type: 'object', $defs: { d }, properties: { a } }
          const expected = new Validator(structuredClone(inputSchema) as Schema, '2020-12', false).validate({
            a: given,
          })
          const mistakes = await validator.check({ name: 'x', inputSchema }, { a: given })
          expect(mistakes.length === 0, JSON.stringify({ inputSchema, given, mistakes })).toBe(expected.valid)
        },
      ),
      { numRuns: 3_000 },
    )
  })

  it('takes any JSON for a schema', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(
          fc.constantFrom('type', 'items', 'enum', 'anyOf', '$ref', 'pattern', 'properties', 'required'),
          fc.jsonValue(),
        ),
        fc.jsonValue(),
        async (inputSchema, a) => {
          expect(Array.isArray(await check(inputSchema, { a }))).toBe(true)
        },
      ),
    )
  })
})
