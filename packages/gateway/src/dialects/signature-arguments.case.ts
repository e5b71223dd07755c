/**
 * Builds the arguments of a call from nothing but a signature, as a model does that has read a search answer. Tests check them
 * against the schema behind the signature.
 */

type Value = unknown
type Type =
  | { readonly kind: 'value'; readonly value: Value }
  | { readonly kind: 'word'; readonly word: string; readonly limits: string }
  | { readonly kind: 'list'; readonly item: Type; readonly limits: string }
  | { readonly kind: 'tuple'; readonly items: readonly Type[] }
  | { readonly kind: 'object'; readonly fields: readonly Field[] }
  | { readonly kind: 'union'; readonly types: readonly Type[] }

interface Field {
  readonly name: string
  readonly isRequired: boolean
  readonly type: Type
}

/** The arguments with all required parameters, and with the optional ones if asked for. */
export function argumentsFrom(signature: string, withOptional = false): Record<string, Value> {
  const { fields, needs, definitions } = new SignatureReader(signature).read()
  const maker = new ValueMaker(definitions, withOptional)
  return maker.object(fields, new Set(needs), 0)
}

const WORD = /[\w$.-]+/y
const LIMITS = / \((\/(?:.*?)\/|[^()]*)\)/y
const NOTE = / \/\* .*? \*\//y

/** Reads the notation of `signature`. */
class SignatureReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  read(): { fields: readonly Field[]; needs: readonly string[]; definitions: ReadonlyMap<string, Type> } {
    this.#match(/[^(]*/y)
    this.#expect('(')
    const fields = this.#fields(/[;)]/y)
    const needs = this.#skip('; needs ') ? (this.#match(/[^|)]+/y) ?? '').trim().split(' + ') : []
    this.#match(/[^)]*/y)
    this.#expect(')')
    const definitions = new Map<string, Type>()
    if (this.#skip(' where ')) {
      do {
        const name = this.#match(WORD) ?? ''
        this.#expect(' = ')
        definitions.set(name, this.#type())
      } while (this.#skip('; '))
    }
    return { fields, needs, definitions }
  }

  #fields(end: RegExp): readonly Field[] {
    const fields: Field[] = []
    while (!this.#is(end)) {
      if (this.#skip('…')) this.#match(/\d+ optional/y)
      else fields.push(this.#field())
      if (!this.#skip(', ')) break
    }
    return fields
  }

  #field(): Field {
    const name = this.#is(/"/y) ? String(this.#json()) : (this.#match(WORD) ?? '')
    const isRequired = !this.#skip('?')
    this.#expect(': ')
    const type = this.#type()
    this.#match(NOTE)
    return { name, isRequired, type }
  }

  #type(): Type {
    const types: Type[] = []
    do types.push(...this.#alternative())
    while (this.#skip(' | '))
    return types.length === 1 ? (types[0] as Type) : { kind: 'union', types }
  }

  #alternative(): readonly Type[] {
    if (this.#skip('…')) {
      this.#match(/\d+ more/y)
      return []
    }
    let type = this.#base()
    while (this.#skip('[]')) type = { kind: 'list', item: type, limits: '' }
    const limits = this.#match(LIMITS)?.slice(2, -1)
    if (limits !== undefined && (type.kind === 'list' || type.kind === 'word')) type = { ...type, limits }
    return [type]
  }

  #base(): Type {
    if (this.#skip('{[key]: ')) {
      this.#type()
      this.#expect('}')
      return { kind: 'object', fields: [] }
    }
    if (this.#skip('{')) {
      const fields = this.#fields(/\}/y)
      this.#expect('}')
      return { kind: 'object', fields }
    }
    if (this.#skip('[')) {
      const items: Type[] = []
      do items.push(this.#type())
      while (this.#skip(', '))
      this.#expect(']')
      return { kind: 'tuple', items }
    }
    if (this.#skip('(')) {
      const type = this.#type()
      this.#expect(')')
      return type
    }
    if (this.#is(/["\d-]/y)) return { kind: 'value', value: this.#json() }
    const word = this.#match(WORD) ?? ''
    if (word === '') throw new Error(`There is no type at ${this.#at} of ${this.#text}`)
    if (['true', 'false', 'null'].includes(word)) return { kind: 'value', value: JSON.parse(word) }
    return { kind: 'word', word, limits: '' }
  }

  #json(): Value {
    const text = this.#match(/"(?:[^"\\]|\\.)*"|-?[\d.]+(?:e[+-]?\d+)?/y) ?? ''
    return JSON.parse(text)
  }

  #is(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at
    return pattern.test(this.#text)
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    this.#at += found?.length ?? 0
    return found
  }

  #skip(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false
    this.#at += text.length
    return true
  }

  #expect(text: string): void {
    if (!this.#skip(text)) throw new Error(`Expected ${text} at ${this.#at} of ${this.#text}`)
  }
}

const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  time: '12:00:00Z',
  'date-time': '2026-01-31T12:00:00Z',
  uuid: '123e4567-e89b-12d3-a456-426614174000',
  email: 'someone@example.org',
  uri: 'https://example.org/',
  hostname: 'example.org',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
}

/** Texts of which one fits the pattern of a usual parameter. */
const SAMPLES = [
  ...[
    'example',
    'Example',
    'EXAMPLE',
    '1',
    '12',
    '123',
    '1234',
    '12345',
    '2h',
    'a1',
    'AB',
    '/a',
    'a/b',
    'a.b',
    '#aabbcc',
  ],
  ...[
    '2026-01-31',
    '2026-01-31T12:00:00Z',
    'https://example.org/',
    'someone@example.org',
    '1.0.0',
    '12:00',
    '0x1f',
    'US',
  ],
  ...[
    '+15550100',
    '123e4567-e89b-12d3-a456-426614174000',
    '0123456789abcdef0123456789abcdef',
    '1:2',
    'I1:2',
    '2026-01',
  ],
  ...['0x0123456789012345678901234567890123456789', `0x${'ab'.repeat(32)}`, 'rec01234567890123', '1h', 'true', 'en-US'],
]

const DEEPEST = 6

class ValueMaker {
  readonly #definitions: ReadonlyMap<string, Type>
  readonly #withOptional: boolean

  constructor(definitions: ReadonlyMap<string, Type>, withOptional: boolean) {
    this.#definitions = definitions
    this.#withOptional = withOptional
  }

  object(fields: readonly Field[], needs: ReadonlySet<string>, depth: number): Record<string, Value> {
    const isSent = ({ name, isRequired }: Field): boolean =>
      isRequired || needs.has(name) || (this.#withOptional && needs.size === 0 && depth < DEEPEST)
    return Object.fromEntries(fields.filter(isSent).map(({ name, type }) => [name, this.#value(type, depth + 1)]))
  }

  #value(type: Type, depth: number): Value {
    switch (type.kind) {
      case 'value':
        return type.value
      case 'object':
        return this.object(type.fields, new Set(), depth)
      case 'union':
        return this.#value(type.types[0] ?? { kind: 'word', word: 'any', limits: '' }, depth)
      case 'tuple':
        return type.items.map((item) => this.#value(item, depth))
      case 'list': {
        const least = /\d+/.exec(/[≥.]|^\d/.test(type.limits) && !type.limits.startsWith('≤') ? type.limits : '')
        const count = depth > DEEPEST ? Number(least?.[0] ?? 0) : Math.max(1, Number(least?.[0] ?? 1))
        return Array.from({ length: count }, () => this.#value(type.item, depth + 1))
      }
      case 'word':
        return this.#word(type.word, type.limits, depth)
    }
  }

  #word(word: string, limits: string, depth: number): Value {
    const definition = this.#definitions.get(word)
    if (definition !== undefined) return this.#value(definition, depth + 1)
    if (word === 'string' || word === 'any') return textFor(limits)
    if (word === 'integer' || word === 'number') return numberFor(limits)
    return { boolean: true, object: {}, array: [] }[word] ?? textFor('')
  }
}

function textFor(limits: string): string {
  const format = FORMATS[limits]
  if (format !== undefined) return format
  if (limits.startsWith('/')) {
    const pattern = new RegExp(limits.slice(1, -1), 'u')
    return SAMPLES.find((sample) => pattern.test(sample)) ?? ''
  }
  const [least = 0, most = 1_000] = rangeIn(limits.replace(' characters', ''))
  return 'example'.padEnd(least, 'x').slice(0, most)
}

function numberFor(limits: string): number {
  if (limits.startsWith('>')) return Number(limits.slice(1)) + 1
  if (limits.startsWith('<')) return Number(limits.slice(1)) - 1
  const [least, most] = rangeIn(limits)
  return least ?? Math.min(1, most ?? 1)
}

function rangeIn(limits: string): readonly [number | undefined, number | undefined] {
  if (limits.startsWith('≥')) return [Number(limits.slice(1)), undefined]
  if (limits.startsWith('≤')) return [undefined, Number(limits.slice(1))]
  const range = /^(-?[\d.]+?)\.\.(-?[\d.]+)$/.exec(limits)
  return range === null ? [undefined, undefined] : [Number(range[1]), Number(range[2])]
}
