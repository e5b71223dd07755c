import fc from 'fast-check'
import { RE2JS } from 're2js'
import { describe, expect, it } from 'vitest'
import { foldForLiterals, requiredLiterals } from './required-literals.ts'

describe('requiredLiterals', () => {
  it.each<[string, readonly string[] | undefined]>([
    ['Create', ['create']],
    ['get.*users', ['users']],
    ['foo|.*Bar', ['foo', 'bar']],
    ['foo|.*', undefined],
    ['(create|update)_issue', ['_issue']],
    ['colou?r', ['colo']],
    ['ab{0,2}c', ['a']],
    ['ab+c', ['ab']],
    ['a(b)*cd', ['cd']],
    ['users\\.list', ['users.list']],
    ['[]x]ab[^]y]', ['ab']],
    ['[[:alpha:]x]ab', ['ab']],
    ['\\x41bc', undefined],
    ['\\Qa.b\\E', undefined],
    ['\\pLabc', undefined],
    ['検索', ['検索']],
    ['(?s)abc', ['abc']],
    ['abc(?i)*', undefined],
    ['.*', undefined],
    ['', undefined],
  ])('reads %s', (pattern, literals) => {
    expect(requiredLiterals(pattern)).toEqual(literals)
  })

  it('never rules out a text that the engine matches', () => {
    const piece = fc.constantFrom(
      ...[
        'a',
        'b',
        'K',
        's',
        'ſ',
        'é',
        'Σ',
        '検',
        '_',
        '.',
        '*',
        '+',
        '?',
        '|',
        '(',
        ')',
        '(?:',
        '(?i)',
        '[ab]',
        '[^a]',
      ],
      ...[
        '[]a]',
        '[[:^alpha:]b]',
        '{2}',
        '{0,2}',
        '{,2}',
        '{',
        '}',
        ']',
        '^',
        '$',
        '\\',
        '\\.',
        '\\d',
        '\\w',
        '\\x61',
        '\\pL',
        '-',
      ],
    )
    const pattern = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''))
    const text = fc.string({ unit: fc.constantFrom(...'abkKsſSéÉσςΣ検_.-{}]2,'.split('')), maxLength: 8 })
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 5, maxLength: 5 }), (regex, texts) => {
        const engine = compile(regex)
        const literals = requiredLiterals(regex)
        if (engine === undefined || literals === undefined) return
        for (const one of texts.filter((candidate) => engine.test(candidate))) {
          expect(literals.some((literal) => foldForLiterals(one).includes(literal))).toBe(true)
        }
      }),
      { numRuns: 3_000 },
    )
  })
})

function compile(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE)
  } catch {
    return undefined
  }
}
