import { describe, expect, it } from 'vitest'
import { columns, renderFinding, renderHead } from './render.ts'

const plain = { width: 60, colours: false }
const match = (id: string, why: string) => ({
  id,
  name: id,
  relevance: 0.5,
  score: 1,
  explanation: { matches: [], text: why },
})

describe('renderHead', () => {
  it('tells the version and how much there is', () => {
    const text = renderHead('1.2.3', { servers: 2, tools: 1214, tokens: 43100 }, plain)
    expect(text).toContain('Tooldex 1.2.3')
    expect(text).toContain('2 · 1,214 tools · 43,100 tokens if all were listed')
  })
})

describe('renderFinding', () => {
  it('ranks the hits with relevance and reason, in columns', () => {
    const matches = [match('a:long_name', 'because'), match('b:c', 'also')]
    const text = renderFinding({ query: 'file a bug', matches, milliseconds: 0.123, toolCount: 7 }, plain)
    expect(text.split('\n')).toEqual([
      expect.stringMatching(/^ {2}find "file a bug" +0\.12 ms, 7 tools$/),
      '   1  a:long_name   0.50   because',
      '   2  b:c           0.50   also',
      '',
    ])
  })

  it('says when nothing matches', () => {
    const text = renderFinding({ query: 'x', matches: [], milliseconds: 1, toolCount: 7 }, plain)
    expect(text).toContain('nothing matches')
  })

  it('keeps every line within the width, whatever the script', () => {
    const matches = [
      match('在庫:検索', '商品コードや商品名から現在の在庫数と保管場所を調べます。'),
      match('a:b', 'x'.repeat(99)),
    ]
    const text = renderFinding({ query: '在庫', matches, milliseconds: 1, toolCount: 7 }, plain)
    for (const line of text.split('\n').slice(1)) expect(columns(line)).toBeLessThanOrEqual(plain.width)
    expect(text).toContain('…')
  })

  it('has colours only where they are wanted', () => {
    const finding = { query: 'x', matches: [match('a:b', 'c')], milliseconds: 1, toolCount: 1 }
    expect(renderFinding(finding, plain)).not.toContain('\u001b')
    expect(renderFinding(finding, { ...plain, colours: true })).toContain('\u001b')
  })
})
