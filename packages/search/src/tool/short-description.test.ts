import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { processorMs } from '../../../../test/kit/processor-time.ts'
import { shortDescription } from './short-description.ts'

describe('shortDescription', () => {
  it.each([
    ['Creates an issue. Needs a token.', 'Creates an issue.'],
    ['Creates an issue', 'Creates an issue'],
    ['\n    Reads a\n    file.\n\n    Args:\n        path: where', 'Reads a file.'],
    ['Reads a file\n\nArgs:\n  path', 'Reads a file'],
    ['Reads a file\r\n\r\nArgs:\r\n  path', 'Reads a file'],
    ['Lists issues, e.g. open ones. Paged.', 'Lists issues, e.g. open ones.'],
    ['Runs checks (e.g. lint). Slow.', 'Runs checks (e.g. lint).'],
    ['Reads CSV, JSON, etc. from disk. Slow.', 'Reads CSV, JSON, etc. from disk.'],
    ['Reads CSV, JSON, etc. Slow.', 'Reads CSV, JSON, etc.'],
    ['Uses API v1.2 of file.txt! Really?', 'Uses API v1.2 of file.txt!'],
    ['Says "done." Then stops.', 'Says "done."'],
    ['課題を作成します。トークンが必要です。', '課題を作成します。'],
    ['「検索。」を行う。', '「検索。」'],
    ['Wait... then go. Stop.', 'Wait...'],
    ['lower. case.', 'lower.'],
  ])('takes the first sentence of %j', (description, short) => {
    expect(shortDescription(description)).toBe(short)
  })

  it.each([undefined, '', ' \n\t '])('has nothing to say about %j', (description) => {
    expect(shortDescription(description)).toBeUndefined()
  })

  it('cuts a long sentence at a word', () => {
    const short = shortDescription(`${'word '.repeat(100)}end.`) as string
    expect(short.length).toBeLessThanOrEqual(160)
    expect(short).toMatch(/ word…$/)
  })

  it('cuts text without spaces, but no character in two', () => {
    expect(shortDescription('検'.repeat(500))).toBe(`${'検'.repeat(159)}…`)
    expect(shortDescription(`x${'😀'.repeat(500)}`)).toBe(`x${'😀'.repeat(79)}…`)
    expect(shortDescription('😀'.repeat(500))?.isWellFormed()).toBe(true)
  })

  it('is one line of at most 160 characters for any text', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('a', 'B', '.', ' ', '\n', '。', '検', '😀', '\ud83d', '(', 'e.g. '),
          maxLength: 600,
        }),
        (text) => {
          const short = shortDescription(text) ?? ''
          expect(short.length).toBeLessThanOrEqual(160)
          expect(short).not.toMatch(/\s\s|\n/)
        },
      ),
    )
  })

  it.each([
    ['letters', 'a'.repeat(1_000_000)],
    ['spaces before a word', `${' '.repeat(1_000_000)}word`],
    ['full stops', '.'.repeat(1_000_000)],
    ['abbreviations', 'e.g. '.repeat(200_000)],
    ['blank lines', '\n \n'.repeat(400_000)],
  ])('answers at once for a megabyte of %s', async (_, description) => {
    expect(await processorMs(() => shortDescription(description))).toBeLessThan(250)
  })
})
