import { type Schema, Validator } from '@cfworker/json-schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainCheckOf } from './plain-schema.ts'

const ODD_NAMES = fc.constantFrom('__proto__', 'constructor', 'toString', '')
const NAMES = fc.oneof({ weight: 9, arbitrary: fc.constantFrom('a', 'b') }, { weight: 1, arbitrary: ODD_NAMES })
const VALUES = fc.oneof(...[fc.string(), fc.double(), fc.integer(), fc.boolean(), fc.constantFrom(null, 0.5, [1], {})])
const PLAIN_PROPERTY = fc.record(
  { type: fc.constantFrom('string', 'number', 'integer', 'boolean'), description: fc.string(), default: VALUES },
  { requiredKeys: ['type'] },
)
const ODD_PROPERTY = fc.record(
  { type: fc.constantFrom('null', 'object', 'array'), enum: fc.array(fc.integer()) },
  { requiredKeys: [] },
)
const PROPERTY = fc.oneof({ weight: 9, arbitrary: PLAIN_PROPERTY }, { weight: 1, arbitrary: ODD_PROPERTY })
/** As they come off the wire: `__proto__` is a name like any other there. */
const object = <Value>(value: fc.Arbitrary<Value>) =>
  fc
    .array(fc.tuple(NAMES, value))
    .map(
      (entries) =>
        JSON.parse(
          `{${entries.map(([name, each]) => `${JSON.stringify(name)}:${JSON.stringify(each)}`).join(',')}}`,
        ) as Record<string, unknown>,
    )
const SCHEMA = fc.record(
  {
    type: fc.constantFrom('object', 'object', 'object', 'string'),
    properties: object(PROPERTY),
    required: fc.array(NAMES),
    additionalProperties: fc.oneof({ weight: 9, arbitrary: fc.boolean() }, { weight: 1, arbitrary: ODD_PROPERTY }),
  },
  { requiredKeys: ['type'] },
)

const PLAIN = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: { path: { type: 'string', description: 'Where' }, depth: { type: 'integer' }, ratio: { type: 'number' } },
  required: ['path'],
  additionalProperties: false,
}

describe('plainCheckOf', () => {
  it('says that arguments fit only where a validator says so', () => {
    fc.assert(
      fc.property(SCHEMA, object(VALUES), (schema, args) => {
        if (plainCheckOf(schema)?.(args) !== true) return true
        return new Validator(schema as Schema, '2020-12', false).validate(args).valid
      }),
      { numRuns: 2_000 },
    )
  })

  it('knows what fits a plain schema, and leaves what does not to the validator', () => {
    const check = plainCheckOf(PLAIN)
    const fitting = [{ path: '' }, { path: 'a', depth: 2 }, { path: 'a', ratio: 0.5, depth: -1e3 }]
    const others = [{}, { path: 1 }, { path: 'a', depth: 1.5 }, { path: 'a', ratio: '1' }, { path: 'a', more: 1 }]
    expect(fitting.map((args) => check?.(args))).toEqual([true, true, true])
    expect(others.map((args) => check?.(args))).toEqual([false, false, false, false, false])
  })

  it('is absent for a schema that says more', () => {
    const withProperty = (property: unknown) => ({ type: 'object', properties: { a: property } })
    const others = [
      {},
      { type: ['object'] },
      { type: 'object', minProperties: 1 },
      { type: 'object', required: 'a' },
      { type: 'object', additionalProperties: { type: 'string' } },
      { type: 'object', properties: { constructor: { type: 'string' } } },
      withProperty(true),
      withProperty({}),
      withProperty({ type: ['string', 'null'] }),
      withProperty({ type: 'string', enum: ['x'] }),
      withProperty({ type: 'object' }),
      withProperty({ $ref: '#' }),
    ]
    expect(others.map((schema) => plainCheckOf(schema))).toEqual(others.map(() => undefined))
  })
})
