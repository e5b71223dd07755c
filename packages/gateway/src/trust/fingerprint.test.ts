import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Definition, fingerprintOf } from './fingerprint.ts'

const RUNS = { numRuns: 1_000, seed: 15 }

/** Tools as servers write them: texts, schemas, hints, and fields of newer revisions. */
const property = fc.record(
  {
    type: fc.oneof(
      fc.constantFrom('string', 'number', 'boolean'),
      fc.uniqueArray(fc.constantFrom('string', 'null', 'integer'), { minLength: 2 }),
    ),
    description: fc.string({ unit: 'binary' }),
    enum: fc.uniqueArray(fc.oneof(fc.string(), fc.double({ noNaN: true, noDefaultInfinity: true })), { minLength: 1 }),
    minimum: fc.double({ noNaN: true, noDefaultInfinity: true }),
    default: fc.jsonValue(),
  },
  { requiredKeys: ['type', 'description'] },
)
const tool = fc
  .record(
    {
      name: fc.string({ minLength: 1 }),
      title: fc.string(),
      description: fc.string({ unit: 'binary', minLength: 1 }),
      properties: fc.dictionary(fc.string({ minLength: 1 }), property, { minKeys: 1 }),
      outputSchema: fc.constant({ type: 'object', required: ['a', 'b'] }),
      annotations: fc.record({ readOnlyHint: fc.boolean(), title: fc.string() }),
      _meta: fc.dictionary(fc.string(), fc.jsonValue()),
    },
    { requiredKeys: ['name', 'description', 'properties'] },
  )
  .map(({ properties, ...others }): Definition => {
    const inputSchema = { type: 'object', properties, required: Object.keys(properties) }
    return JSON.parse(JSON.stringify({ ...others, inputSchema })) as Definition
  })

describe('fingerprintOf', () => {
  it('[U15] is the same for 1,000 definitions written in another way', () => {
    let trips = 0
    fc.assert(
      fc.property(tool, fc.integer(), (definition, seed) => {
        const again = JSON.parse(rewritten(definition, new Shuffle(seed))) as Definition
        if (fingerprintOf('tool', again) !== fingerprintOf('tool', definition)) trips++
        expect(trips).toBe(0)
      }),
      RUNS,
    )
  })

  it('[U15] differs after each of 1,000 edits of one character', () => {
    let trips = 0
    fc.assert(
      fc.property(tool, fc.nat(), fc.string({ minLength: 1, maxLength: 1 }), (definition, at, character) => {
        const edited = edit(definition, at, character)
        fc.pre(edited !== undefined)
        expect(fingerprintOf('tool', edited as Definition)).not.toBe(fingerprintOf('tool', definition))
        trips++
      }),
      RUNS,
    )
    expect(trips).toBe(1_000)
  })

  it('tells the kinds of definitions apart', () => {
    expect(fingerprintOf('tool', { name: 'a' })).not.toBe(fingerprintOf('prompt', { name: 'a' }))
  })

  it('ignores the order of the arguments of a prompt, and empty annotations', () => {
    const one = { name: 'p', arguments: [{ name: 'a' }, { name: 'b', required: true }] }
    const other = { arguments: [{ required: true, name: 'b' }, { name: 'a' }], name: 'p', annotations: {} }
    expect(fingerprintOf('prompt', other)).toBe(fingerprintOf('prompt', one))
  })

  it('heeds the order of lists that are read in order', () => {
    const withExamples = (examples: string[]) => fingerprintOf('tool', { name: 'a', inputSchema: { examples } })
    expect(withExamples(['b', 'a'])).not.toBe(withExamples(['a', 'b']))
  })
})

/** A small generator, so that a failure can be repeated. */
class Shuffle {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((this.#state / 2 ** 32) * limit)
  }

  order<Item>(items: readonly Item[]): Item[] {
    const all = [...items]
    for (let at = all.length - 1; at > 0; at--) {
      const other = this.below(at + 1)
      const [one, two] = [all[at] as Item, all[other] as Item]
      all[at] = two
      all[other] = one
    }
    return all
  }
}

/** The same value with other whitespace, key order, number spelling, escapes, and order of `required`, `enum` and `type`. */
function rewritten(value: unknown, shuffle: Shuffle, key = ''): string {
  const gap = (): string => [' ', '', '\n', '\t'][shuffle.below(4)] ?? ''
  if (Array.isArray(value)) {
    const items = ['required', 'enum', 'type'].includes(key) ? shuffle.order(value) : value
    return `[${gap()}${items.map((each: unknown) => rewritten(each, shuffle)).join(`${gap()},`)}${gap()}]`
  }
  if (typeof value === 'object' && value !== null) {
    const members = shuffle.order(Object.entries(value))
    const written = members.map(([name, each]) => `${escaped(name, shuffle)}${gap()}:${rewritten(each, shuffle, name)}`)
    return `{${gap()}${written.join(`,${gap()}`)}${gap()}}`
  }
  if (typeof value === 'number') return shuffle.below(2) === 0 ? JSON.stringify(value) : value.toExponential()
  return typeof value === 'string' ? escaped(value, shuffle) : JSON.stringify(value)
}

function escaped(text: string, shuffle: Shuffle): string {
  const plain = JSON.stringify(text)
  if (shuffle.below(2) === 0) return plain
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at).toString(16).padStart(4, '0'))
  return `"${units.map((unit) => `\\u${unit}`).join('')}"`
}

/** Replaces, adds or removes one character of one text of a definition; undefined where that changes nothing. */
function edit(definition: Definition, at: number, character: string): unknown {
  const places: [holder: Record<string, unknown>, key: string][] = []
  const copy = structuredClone(definition)
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, each] of Object.entries(value)) {
      if (typeof each === 'string') places.push([value as Record<string, unknown>, key])
      else visit(each)
    }
  }
  visit(copy)
  const [holder, key] = places[at % places.length] ?? [{}, '']
  const text = String(holder[key])
  const place = text.length === 0 ? 0 : at % text.length
  const ways = [
    text.slice(0, place) + character + text.slice(place + 1),
    text.slice(0, place) + character + text.slice(place),
    text.slice(0, place) + text.slice(place + 1),
  ]
  const edited = ways[at % 3] ?? text
  if (edited === text) return undefined
  holder[key] = edited
  return copy
}
