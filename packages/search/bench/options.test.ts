import { describe, expect, it } from 'vitest'
import { ENGINE_NAMES } from './engines/engine.ts'
import { OptionError, parseOptions } from './options.ts'

describe('parseOptions', () => {
  it('measures all engines at three sizes by default', () => {
    expect(parseOptions([])).toEqual({
      help: false,
      json: false,
      sizes: [1000, 20_000, 100_000],
      engines: ENGINE_NAMES,
      queries: 500,
    })
  })

  it('reads every option, in either form', () => {
    const args = [
      '--json',
      '--tools=catalog',
      '--sizes',
      '10, 20,10',
      '--engines',
      'orama,minisearch',
      '--queries',
      '7',
    ]
    expect(parseOptions(args)).toEqual({
      help: false,
      json: true,
      tools: 'catalog',
      sizes: [10, 20],
      engines: ['orama', 'minisearch'],
      queries: 7,
    })
  })

  it.each([
    [['--sizes', '1000,many'], "--sizes takes whole numbers from 1 to 1000000, not 'many'"],
    [['--sizes', ''], "not ''"],
    [['--sizes', '0'], "not '0'"],
    [['--sizes', '1e3'], "not '1e3'"],
    [['--sizes', '1000001'], "not '1000001'"],
    [['--queries', '-5'], '--queries'],
    [['--queries=1.5'], "not '1.5'"],
    [['--engines', 'lucene'], "No engine 'lucene': choose of tooldex-bm25"],
    [['--engines', 'constructor'], "No engine 'constructor'"],
    [['--tools', ' '], '--tools needs a value'],
    [['--tools'], '--tools'],
    [['--fast'], '--fast'],
    [['catalog.jsonl'], 'catalog.jsonl'],
  ])('refuses %j with the reason', (args, reason) => {
    expect(() => parseOptions(args)).toThrow(OptionError)
    expect(() => parseOptions(args)).toThrow(reason)
  })
})
