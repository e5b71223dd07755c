import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonChecker } from './json-checker.ts'

const NO_WATCH = { opened: () => {}, closed: () => {}, key: () => {} }

function isAccepted(text: string | Buffer, size: number): boolean {
  const bytes = Buffer.from(text)
  const checker = new JsonChecker(NO_WATCH)
  for (let at = 0; at < bytes.length; at += size) checker.add(bytes.subarray(at, at + size))
  // What is behind a number is what ends it.
  checker.add(Buffer.from(' '))
  return checker.isDone
}

function isParsed(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const sizes = fc.integer({ min: 1, max: 12 })
const spaced = fc
  .tuple(fc.json(), fc.constantFrom(undefined, 1, '\t'))
  .map(([text, space]) => JSON.stringify(JSON.parse(text), undefined, space))

describe('JsonChecker', () => {
  it('accepts all JSON, however it is cut', () => {
    fc.assert(fc.property(spaced, sizes, (text, size) => isAccepted(text, size)))
  })

  it('agrees with JSON.parse on texts that were changed at random', () => {
    const signs = fc.constantFrom(...'{}[]",:\\/ \n\t\r\b0123456789.-+eEtrufalsn\u0001é\u00a0\ufeff')
    fc.assert(
      fc.property(
        spaced,
        fc.nat(),
        fc.nat({ max: 3 }),
        fc.array(signs, { maxLength: 3 }),
        sizes,
        (text, at, cut, put, size) => {
          const place = at % (text.length + 1)
          const changed = text.slice(0, place) + put.join('') + text.slice(place + cut)
          expect(isAccepted(changed, size)).toBe(isParsed(changed))
        },
      ),
      { numRuns: 3_000 },
    )
  })

  it.each([
    '0',
    '-0',
    '-',
    '01',
    '1.',
    '.1',
    '1.5e',
    '1e+',
    '1E-07',
    '1e5',
    '-1.25e+3',
    '+1',
    'tru',
    'truee',
    'null',
    'nul l',
  ])('judges %s as JSON.parse does', (text) => {
    for (const each of [text, `[${text}]`, `{"a":${text}}`, `[1,${text},2]`]) {
      expect(isAccepted(each, 1)).toBe(isParsed(each))
    }
  })

  it.each([
    '',
    ' ',
    '[',
    '{"a"',
    '{"a":}',
    '{,}',
    '[,]',
    '[1,]',
    '{"a":1,}',
    '{1:2}',
    '[}',
    '{]',
    '1 2',
    '{} x',
    '"a',
    '"\\x"',
    '"\\u12g4"',
    '"\\u12',
  ])('refuses %j', (text) => {
    expect(isParsed(text)).toBe(false)
    expect(isAccepted(text, 3)).toBe(false)
  })

  it('refuses very deep nesting', () => {
    const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
    expect(isAccepted(deep(512), 64)).toBe(true)
    expect(isAccepted(deep(513), 64)).toBe(false)
  })
})
