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
    [['--learn', '2'], /--learn takes a number from 0 to 1/],
    [['--noise', '0.2'], /--noise goes with --learn/],
    [['--learn', '0.5', '--rankers', 'bm25'], /Leave out --rankers/],
    [['--force'], /--force goes with --update-ratchet/],
    [['--update-ratchet', 'folder'], /Leave out folders/],
  ])('refuses %j', (args, message) => expect(() => parseOptions(args)).toThrow(message))
})
