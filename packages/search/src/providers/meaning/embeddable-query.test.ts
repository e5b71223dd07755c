import { describe, expect, it } from 'vitest'
import { embeddableQuery, textsFor } from './embeddable-query.ts'
import { toyEmbedder } from './toy-embedder.case.ts'

const english = { ...toyEmbedder(), language: 'en' } as const

describe('textsFor', () => {
  it('gives an embedder of English alone the English words of a foreign query', () => {
    const query = embeddableQuery('  請求書を作成  ')
    expect(textsFor(english, query)).toEqual(['invoice create'])
    expect(query.english).toBe('invoice create')
  })

  it('gives all others what was typed, followed by these words', () => {
    expect(textsFor(toyEmbedder(), embeddableQuery('Rechnung löschen'))).toEqual(['Rechnung löschen\ninvoice delete'])
  })

  it('gives everybody an English query as it is, and what no book can read', () => {
    for (const text of ['file a bug', '鯨', 'znajdź plik']) {
      expect(textsFor(english, embeddableQuery(text))).toEqual([text])
      expect(textsFor(toyEmbedder(), embeddableQuery(text))).toEqual([text])
    }
  })

  it('reads each clause of a long query', () => {
    const text = 'Lösche die Datei im alten Ordner. Sende eine Nachricht an das ganze Team.'
    const [whole, ...clauses] = textsFor(english, embeddableQuery(text))
    expect(whole).toContain('delete file')
    expect(clauses).toEqual([expect.stringContaining('delete file'), expect.stringContaining('send message')])
  })
})
