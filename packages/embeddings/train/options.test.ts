import { describe, expect, it } from 'vitest'
import { OptionError, parseOptions } from './options.ts'

describe('the command line of train:table', () => {
  it('reads folders, exclusions and the output', () => {
    const args = ['a', 'b', '--scratch', 's', '--exclude', 'x.jsonl', '--exclude', 'y.jsonl', '--seed', '7']
    expect(parseOptions(args, 'table')).toEqual({
      folders: ['a', 'b'],
      excluded: ['x.jsonl', 'y.jsonl'],
      scratch: 's',
      out: 'table',
      threads: 2,
      seed: 7,
    })
  })

  it('recognises --help', () => {
    expect(parseOptions(['--help'], 'table')).toBeUndefined()
  })

  it.each([
    [[], /folder/],
    [['a'], /--scratch/],
    [['a', '--scratch', 's', '--threads', '0'], /--threads.*at least 1/],
    [['a', '--scratch', 's', '--seed', 'x'], /--seed/],
    [['a', '--unknown'], /--unknown/],
  ])('refuses %j', (args, message) => {
    expect(() => parseOptions(args, 'table')).toThrow(OptionError)
    expect(() => parseOptions(args, 'table')).toThrow(message)
  })
})
