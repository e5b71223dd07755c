import { describe, expect, it } from 'vitest'
import { processorMs } from '../../../../../../test/kit/processor-time.ts'
import { clausesOf } from './clauses.ts'
import { CLAUSE_MIN_TERMS, MOST_CLAUSES } from '../parameters.ts'

const stems = (text: string): string[][] => clausesOf(text).map(({ terms }) => terms.map((term) => term.stem))

describe('clausesOf', () => {
  it.each([
    'read local file. send email message',
    'read local file! send email message?',
    'read local file... send email message',
    'read local file;\nsend email message',
    'read local file and then send email message',
    'read local file, and send email message',
    'read local file - send email message',
    'read local file — send email message',
    'read local file。send email message',
    'read local file as well as send email message',
  ])('parts %j in two', (text) => {
    expect(stems(text)).toEqual([
      ['read', 'local', 'file'],
      ['send', 'email', 'messag'],
    ])
  })

  it.each(['read local file', 'read README.md and send e-mail', 'read local file. Thanks!', 'read. local. file. '])(
    'leaves %j in one piece',
    (text) => expect(stems(text)).toEqual([]),
  )

  it('counts as clauses only parts that say enough, and not too many', () => {
    const clauses = clausesOf('alpha beta gamma. one two. '.repeat(2 * MOST_CLAUSES))
    expect(clauses).toHaveLength(MOST_CLAUSES)
    expect(clauses.every(({ terms }) => terms.length >= CLAUSE_MIN_TERMS)).toBe(true)
  })

  it('keeps the words of a clause as they were written', () => {
    const clauses = clausesOf('Read a local file, then send the email Message')
    expect(clauses.map(({ text }) => text)).toEqual(['Read a local file', 'send the email Message'])
  })

  it.each(['!', '.', ';', '\n', ', ', ',', '-', ' - ', ': '])('reads 100 kB of %j in a moment', async (sign) => {
    expect(await processorMs(() => clausesOf(`${sign.repeat(100_000 / sign.length)}a`))).toBeLessThan(1000)
  })
})
