import { describe, expect, it } from 'vitest'
import { parseOptions } from './options.ts'

describe('parseOptions', () => {
  it('takes folders and names of rankers', () => {
    expect(parseOptions(['a', 'b', '--rankers', 'bm25, okapi', '--json'])).toMatchObject({
      folders: ['a', 'b'],
      rankers: ['bm25', 'okapi'],
      json: true,
      byKind: false,
    })
  })

  it('means every ranker when none is named', () => expect(parseOptions([])).not.toHaveProperty('rankers'))

  it.each([
    [['--frob'], /Unknown option '--frob'[^]*--help/],
    [['--rankers'], /--rankers/],
    [['--force'], /--force goes with --update-ratchet/],
    [['--update-ratchet', 'folder'], /Leave out folders/],
  ])('refuses %j', (args, message) => expect(() => parseOptions(args)).toThrow(message))
})
