/** Schemas and arguments on which a checker without limits hangs, crashes or takes seconds. */

type Json = Readonly<Record<string, unknown>>

/** A tool, and the arguments with which it is called. */
interface Bomb {
  /** As text where it cannot be written otherwise. */
  readonly inputSchema: Json | string
  readonly args: () => Json
  /** The answer: the gateway finds a mistake, leaves the check to the server, which answers, or refuses the request. */
  readonly outcome: 'mistake' | 'called' | 'refused'
  /** The end of the remark on the server, if its definition is cut. */
  readonly remark?: string
}

const takes = (value: unknown, more: Json = {}): Json => ({ type: 'object', properties: { value }, ...more })
const numbers = (length: number): number[] => Array.from({ length }, (_, at) => at)
const byNumber = (length: number, entry: (at: number) => readonly [string, unknown]): Json =>
  Object.fromEntries(numbers(length).map(entry))

function nested(levels: number, wrap: (inner: unknown) => unknown, inner: unknown = { type: 'string' }): unknown {
  let schema = inner
  for (let level = 0; level < levels; level++) schema = wrap(schema)
  return schema
}

const doubled = (at: number): Json => {
  const next = { $ref: `#/$defs/d${at + 1}` }
  return at === 26 ? {} : { allOf: [next, next] }
}

/** By name. */
export const BOMBS: ReadonlyMap<string, Bomb> = new Map<string, Bomb>([
  [
    'nested-quantifiers',
    {
      inputSchema: takes({ type: 'string', pattern: '^(\\w+\\s?)*$' }),
      args: () => ({ value: 'a sentence of more than ten words that ends in an exclamation mark!' }),
      outcome: 'mistake',
    },
  ],
  [
    'doubled-references',
    {
      inputSchema: { type: 'object', $defs: byNumber(27, (at) => [`d${at}`, doubled(at)]), $ref: '#/$defs/d0' },
      args: () => ({}),
      outcome: 'called',
    },
  ],
  [
    'pattern-properties',
    {
      inputSchema: { type: 'object', patternProperties: { '^(a|a)*$': { type: 'string' } } },
      args: () => ({ [`${'a'.repeat(60)}!`]: 1 }),
      outcome: 'called',
    },
  ],
  [
    'many-patterns',
    {
      inputSchema: { type: 'object', patternProperties: byNumber(3_000, (at) => [`^(a|a)*${at}$`, {}]) },
      args: () => ({ value: 1 }),
      outcome: 'called',
    },
  ],
  [
    'unique-items',
    {
      inputSchema: takes({ type: 'array', uniqueItems: true }),
      args: () => ({ value: numbers(200_000) }),
      outcome: 'called',
    },
  ],
  [
    'many-properties',
    {
      inputSchema: {
        type: 'object',
        properties: byNumber(20_000, (at) => [`property number ${at}`, { type: 'string', description: 'One of many' }]),
      },
      args: () => byNumber(20_000, (at) => [`property number ${at}`, at]),
      outcome: 'called',
      remark: 'replaced; the server checks its arguments.',
    },
  ],
  [
    'deep-schema',
    {
      // As text: no JavaScript writes as many levels.
      inputSchema: `${'{"type":"object","properties":{"value":'.repeat(3_000)}{}${'}}'.repeat(3_000)}`,
      args: () => ({ value: {} }),
      outcome: 'called',
      remark: 'replaced; the server checks its arguments.',
    },
  ],
  [
    'deep-arguments',
    {
      inputSchema: { ...takes({ $ref: '#/$defs/list' }), $defs: { list: { items: { $ref: '#/$defs/list' } } } },
      args: () => ({ value: nested(1_000, (inner) => [inner], 1) }),
      outcome: 'refused',
    },
  ],
  [
    'deep-choices',
    {
      inputSchema: takes(nested(9, (inner) => ({ anyOf: [inner, inner], allOf: [inner] }))),
      args: () => ({ value: 1 }),
      outcome: 'called',
      remark: 'replaced; the server checks its arguments.',
    },
  ],
  [
    'huge-enum',
    {
      inputSchema: takes({ type: 'array', items: { enum: numbers(10_000).map((at) => ({ at })) } }),
      args: () => ({ value: numbers(1_000).map((at) => ({ at })) }),
      outcome: 'called',
    },
  ],
  [
    'long-text',
    {
      inputSchema: takes({ type: 'string', format: 'email', maxLength: 1_500_000, pattern: '^(.*)*(.*)*@(.*)*$' }),
      args: () => ({ value: 'a.'.repeat(1_000_000) }),
      outcome: 'called',
    },
  ],
  [
    'self-reference',
    { inputSchema: { type: 'object', anyOf: [{ $ref: '#' }, { $ref: '#' }] }, args: () => ({}), outcome: 'called' },
  ],
])
