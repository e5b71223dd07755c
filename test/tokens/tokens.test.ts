import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { demoCatalog, type Tokens, tokensOf } from './measure.ts'

const RECORDED = JSON.parse(readFileSync(new URL('./recorded.json', import.meta.url), 'utf8')) as Tokens

describe('what lists and search answers cost', () => {
  let measured: Tokens
  beforeAll(async () => void (measured = await tokensOf(demoCatalog())))

  it('does not grow; to record more on purpose: npm run tokens -- --record', () => {
    const before = new Map(figuresOf(RECORDED))
    const grown = figuresOf(measured).filter(([what, tokens]) => tokens > (before.get(what) ?? 0))
    expect(grown.map(([what, tokens]) => `${what}: ${before.get(what) ?? 'not recorded'} → ${tokens}`)).toEqual([])
  })

  it('is small where tools are hidden', () => {
    const hidden = measured.lists.filter(({ exposure }) => /^(meta-tools|search-only|auto)/.test(exposure))
    expect(hidden.length).toBeGreaterThan(0)
    for (const { sent } of hidden) expect(sent).toBeLessThan(1_000)
    const summary = measured.answers.find(({ detail }) => detail === 'summary')
    expect(summary?.median).toBeLessThanOrEqual(600)
    expect(summary?.most).toBeLessThanOrEqual(1_200)
  })
})

describe('docs/explain/exposure.md', () => {
  const page = readFileSync(new URL('../../docs/explain/exposure.md', import.meta.url), 'utf8')
  /** The cells of each row, without padding and marks. */
  const rows = page.split('\n').map((line) =>
    line
      .replaceAll(/,(?=\d{3})/g, '')
      .replaceAll(/[`|\s]+/g, ' ')
      .trim(),
  )
  const { lists, answers } = RECORDED

  it.each(lists.filter(({ dialect }) => dialect === 'router'))('has the figures of $exposure', (list) => {
    expect(rows).toContain(`${list.exposure} ${list.tools} ${list.sent} ${list.read}`)
  })

  it.each(answers)('has the figures of answers in $dialect, $detail', ({ dialect, detail, median, most }) => {
    expect(rows).toContain(`${dialect} ${detail} ${median} ${most}`)
  })
})

/** Every figure with its name. */
function figuresOf({ lists, answers }: Tokens): [what: string, tokens: number][] {
  return [
    ...lists.flatMap(({ exposure, dialect, sent, read, instructions }) =>
      Object.entries({ sent, read, instructions }).map(([part, tokens]): [string, number] => [
        `list ${exposure}, ${dialect}, ${part}`,
        tokens,
      ]),
    ),
    ...answers.flatMap(({ dialect, detail, median, most }) =>
      Object.entries({ median, most }).map(([part, tokens]): [string, number] => [
        `answer ${dialect}, ${detail}, ${part}`,
        tokens,
      ]),
    ),
  ]
}
