import fc from 'fast-check'
import { RE2JS } from 're2js'
import { describe, expect, it } from 'vitest'
import { PatternMatcher } from './pattern-matcher.ts'
import { readRegexText } from './regex-text.ts'

describe('PatternMatcher', () => {
  it('finds the leftmost match', () => {
    expect(PatternMatcher.compile('b+')?.find('abbab')).toEqual({ start: 1, end: 3 })
    expect(PatternMatcher.compile('b+')?.find('aaa')).toBeUndefined()
  })

  it.each(['(', 'a**', '[z-a]', '\\', '(?<=a)b', '(?P<n>', 'x{2,1}', 'x{1001}', '\\pX'])(
    'does not take %s',
    (pattern) => {
      expect(PatternMatcher.compile(pattern)).toBeUndefined()
    },
  )

  it('never rules out a tool of which a field matches', () => {
    const piece = fc.constantFrom(
      ...[
        'a',
        'B',
        '_',
        ' ',
        '.',
        '.*',
        '+',
        '?',
        '|',
        '(a|b)',
        '[^a]',
        '[^\\n]',
        '\\s',
        '\\b',
        '\\B',
        '^',
        '$',
        '\\A',
        '\\z',
      ],
      ...['(?m)', '(?s)', '(?-m)', '(?-i)', '(?i-m:^a)', '(?-s).', '(?s-m:a.$)', '(?U)a*'],
    )
    const text = fc.string({ unit: fc.constantFrom('a', 'A', 'b', 'B', '_', ' ', '\n'), maxLength: 6 })
    const name = fc.string({ unit: fc.constantFrom('a', 'B', '_'), minLength: 1, maxLength: 4 })
    const pattern = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(pattern, name, text, text, (regex, toolName, title, description) => {
        const matcher = PatternMatcher.compile(regex)
        if (matcher === undefined) return
        const tool = readRegexText({ id: `ab:${toolName}`, namespace: 'ab', name: toolName, title, description })
        const engine = RE2JS.compile(regex, RE2JS.CASE_INSENSITIVE)
        if (tool.fields.some((field) => engine.test(field.text))) expect(matcher.mayMatch(tool)).toBe(true)
      }),
      { numRuns: 3_000 },
    )
  })
})
