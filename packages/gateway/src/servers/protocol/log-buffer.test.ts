import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LogBuffer, withoutControls } from './log-buffer.ts'

const buffer = (maxLines = 3, maxLineBytes = 20) => {
  let time = 0
  return new LogBuffer({ now: () => ++time, maxLines, maxLineBytes })
}
const text = (log: LogBuffer): string[] => log.lines().map(({ line }) => line)

describe('LogBuffer', () => {
  it('keeps the latest lines, oldest first, with their time', () => {
    const log = buffer()
    log.write(Buffer.from('one\ntwo\nthr'))
    log.write(Buffer.from('ee\nfour\nfive'))
    expect(log.lines()).toEqual([
      { at: 2, line: 'two' },
      { at: 3, line: 'three' },
      { at: 4, line: 'four' },
    ])
    log.flush()
    expect(log.last(2)).toEqual(['four', 'five'])
  })

  it('joins a character that was cut in two', () => {
    const log = buffer()
    const bytes = Buffer.from('grüße\n')
    for (const byte of bytes) log.write(Buffer.from([byte]))
    expect(text(log)).toEqual(['grüße'])
  })

  it('cuts a long line and continues after it', () => {
    const log = buffer()
    for (let count = 0; count < 50; count++) log.write(Buffer.from('0123456789'))
    log.write(Buffer.from('\nnext\n'))
    expect(text(log)).toEqual(['01234567890123456789', 'next'])
  })

  it('keeps the last state of a line that was overwritten', () => {
    const log = buffer()
    log.write(Buffer.from('10 %\r50 %\r99 %\r\n\r\n'))
    expect(text(log)).toEqual(['99 %'])
  })

  it('keeps the last lines of a chunk of very many, after any unfinished line', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.constantFrom('a', 'b', '\n', '\n'), { maxLength: 20 })), (chunks) => {
        const log = buffer(3)
        for (const chunk of chunks) log.write(Buffer.from(chunk.join('')))
        log.flush()
        const all = chunks
          .flat()
          .join('')
          .split('\n')
          .filter((line) => line !== '')
        expect(text(log)).toEqual(all.map((line) => line.slice(0, 20)).slice(-3))
      }),
    )
  })
})

describe('withoutControls', () => {
  it('removes colours, titles, links and cursor movements and keeps the words', () => {
    const coloured =
      '\u001b[1;31merror\u001b[0m\u001b]0;title\u0007 \u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\\tend\u001b[2K\u009b1A'
    expect(withoutControls(coloured)).toBe('error link end')
  })

  it('leaves no control character in any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (any) => {
        expect(withoutControls(any)).not.toMatch(/\p{Cc}/u)
      }),
    )
  })
})
