import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { renderSearch } from '../find.ts'
import { clean, columns, facts, paintFor, safeForTerminal, table } from './terminal.ts'

const ESC = '\u001b'
/** Everything that a terminal could obey or that no reader sees. */
const FORBIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u
const COLOURS = new RegExp(`${ESC}\\[(?:1|2|22|31|32|33|36|39)m`, 'g')

/** What a hostile server may call itself, its tools or its failures. */
const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      `${ESC}[2J`,
      `${ESC}[31m`,
      `${ESC}]0;t\u0007`,
      `${ESC}]8;;http://x${ESC}\\`,
      '\u009b1A',
      '\u009d0;t\u009c',
    ),
    fc.constantFrom(
      '\r',
      '\n',
      '\u0007',
      '\b',
      '\u202e',
      '\u2066',
      '\u200b',
      '\u{e0041}',
      '\ud800',
      ESC,
      'a',
      ' ',
      '漢',
    ),
    fc.string({ unit: 'binary', maxLength: 3 }),
  ),
})

describe('what servers say', () => {
  it('reaches no terminal as a command, in tables, facts and searches, with colours and without', () => {
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 4, maxLength: 4 }), fc.boolean(), (texts, colours) => {
        const [a = '', b = '', c = '', d = ''] = texts
        const terminal = { width: 80, colours }
        const hit = { toolKey: a, name: b, serverId: 's', relevance: 0.5, explanation: c, description: d }
        const found = { hits: [hit], ms: 1, answeredBy: 'bm25', notice: d } as never
        const lines = [
          ...table(
            ['one', 'two'],
            [
              [a, b],
              [c, d],
            ],
            terminal,
          ),
          ...facts(
            [
              ['label', a],
              ['other', b],
            ],
            terminal,
          ),
          ...renderSearch(clean(c), found, terminal as never).split('\n'),
          paintFor(terminal).red(clean(d)),
        ]
        for (const line of lines) {
          expect(line.replaceAll(COLOURS, '')).not.toMatch(FORBIDDEN)
          expect(line).not.toContain('\n')
        }
        // Written to a terminal, these lines stay as they are.
        expect(safeForTerminal(lines.join('\n'), terminal)).toBe(lines.join('\n'))
      }),
    )
  })

  it('reaches no terminal as a command where a command forgot to clean it, and JSON keeps its meaning', () => {
    fc.assert(
      fc.property(hostile, fc.boolean(), (text, colours) => {
        expect(safeForTerminal(text, { colours }).replaceAll(COLOURS, '')).not.toMatch(FORBIDDEN)
        expect(safeForTerminal(text, { colours: false })).not.toMatch(FORBIDDEN)
        expect(JSON.parse(safeForTerminal(JSON.stringify([text]), { colours }))).toEqual([text])
      }),
    )
  })
})

describe('names of 300 characters', () => {
  const long = 'n'.repeat(300)
  const terminal = { width: 100, colours: false }

  it('H18: do not push the other columns of a table or a search off the line', () => {
    const [head = '', ...rows] = table(
      ['tool', 'state', ''],
      [
        [long, 'running', 'x'],
        ['short', 'failed', long],
      ],
      terminal,
    )
    for (const row of [head, ...rows]) expect(columns(row)).toBeLessThanOrEqual(100)
    expect(rows[0]?.indexOf('running')).toBe(head.indexOf('state'))
    const hits = [long, 'a:short'].map((toolKey) => ({ toolKey, relevance: 0.5, explanation: 'because' }))
    const shown = renderSearch('x', { hits, ms: 1, answeredBy: 'bm25' } as never, terminal as never)
      .split('\n')
      .slice(1)
    for (const line of shown) expect(columns(line)).toBeLessThanOrEqual(100)
    expect(shown[0]?.indexOf('0.50')).toBe(shown[1]?.indexOf('0.50'))
  })
})
