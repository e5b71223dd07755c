import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GatewayError } from '../../errors.ts'
import { readQueries } from './queries.ts'

const tools = { eligible: new Set(['tracker:create_issue', 'files:read']), all: new Set(['files:read', 'bank:pay']) }
const read = (...lines: string[]) => readQueries('q.jsonl', lines.join('\n'), tools)
function problemsOf(...lines: string[]): unknown {
  try {
    return read(...lines)
  } catch (error) {
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENTS' })
    return (error as GatewayError).details['problems'] ?? (error as Error).message
  }
}

describe('readQueries', () => {
  it('reads one row per line, with one or several intents, and skips blank lines', () => {
    expect(
      read(
        '\uFEFF{"query": "file a bug", "relevant": ["tracker:create_issue"]}',
        '',
        '{"query": ["a", "b"], "relevant": "files:read", "more": 1}\r',
      ),
    ).toEqual([
      { queries: ['file a bug'], relevant: new Set(['tracker:create_issue']) },
      { queries: ['a', 'b'], relevant: new Set(['files:read']) },
    ])
  })

  it('names every invalid row by its line', () => {
    expect(
      problemsOf('{"query": "x", "relevant": ["files:read"]}', '{', '[]', '{"query": " ", "relevant": []}'),
    ).toEqual([
      'q.jsonl:2 is not a JSON object',
      'q.jsonl:3 is not a JSON object',
      'q.jsonl:4 query must be a text, or a list of texts',
      'q.jsonl:4 relevant must be a list of tool keys',
    ])
  })

  it('suggests the nearest tool for an unknown key, and reports forbidden ones', () => {
    expect(problemsOf('{"query": "x", "relevant": ["tracker:creat_isue", "__proto__", "bank:pay"]}')).toEqual([
      'q.jsonl:1 there is no tool "tracker:creat_isue"; did you mean "tracker:create_issue"?',
      'q.jsonl:1 there is no tool "__proto__"',
      'q.jsonl:1 the tool "bank:pay" is not available through this endpoint',
    ])
  })

  it('shows no more than twenty problems', () => {
    const problems = problemsOf(...Array.from({ length: 30 }, () => '{')) as string[]
    expect(problems).toHaveLength(21)
    expect(problems.at(-1)).toBe('and 10 more')
  })

  it('reports a file without rows', () => expect(problemsOf('', ' ')).toContain('q.jsonl has no rows'))

  it('never throws anything else, for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(() => readQueries('q', text, tools)).toThrow(GatewayError)
      }),
    )
  })
})
