import { describe, expect, it } from 'vitest'
import { patternOf, stepsOf } from './walk.ts'

describe('stepsOf', () => {
  it('finds commands with their output and exit codes', () => {
    const page = 'Text\n\n```\n$ a b\n  one\n…\n$ c    # exit code 3\n```\n\n```json\n$ no\n```\n'
    expect(stepsOf(page)).toEqual([
      { command: 'a b', exitCode: 0, output: ['  one', '…'] },
      { command: 'c', exitCode: 3, output: [] },
    ])
  })
})

describe('patternOf', () => {
  it('matches any text for dots and any white space for spaces', () => {
    expect(patternOf(['  token   tdx_…   (shown once)']).test('  token  tdx_abc  (shown once)\n')).toBe(true)
    expect(patternOf(['…', 'x', '…']).test('a\nb\nx\n')).toBe(true)
  })

  it('rejects output that differs from the page', () => {
    expect(patternOf(['x']).test('y\n')).toBe(false)
    expect(patternOf(['x']).test('x\ny\n')).toBe(false)
    expect(patternOf([]).test('x\n')).toBe(false)
    expect(patternOf(['a…c']).test('abd\n')).toBe(false)
  })
})
