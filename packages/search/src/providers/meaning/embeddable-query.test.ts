import { describe, expect, it } from 'vitest'
import { createQueryReader } from '@tooldex/languages'
import { readQuery } from '../bm25/query/read-query.ts'
import { embeddableQuery, textsFor } from './embeddable-query.ts'
import { toyEmbedder } from './toy-embedder.case.ts'

const reader = createQueryReader()
const english = { ...toyEmbedder(), language: 'en' } as const

describe('textsFor', () => {
  it('gives an English embedder the English words of a foreign query', () => {
    const query = embeddableQuery(readQuery('  請求書を作成  '), reader)
    expect(textsFor(english, query)).toEqual(['invoice create'])
    expect(query.english).toBe('invoice create')
  })

  it('gives other embedders the query as typed, followed by these words', () => {
    expect(textsFor(toyEmbedder(), embeddableQuery(readQuery('Rechnung löschen'), reader))).toEqual([
      'Rechnung löschen\ninvoice delete',
    ])
  })

  it('passes on an English query, and one that nothing can read, as typed', () => {
    for (const text of ['file a bug', '鯨', 'znajdź plik']) {
      expect(textsFor(english, embeddableQuery(readQuery(text), reader))).toEqual([text])
      expect(textsFor(toyEmbedder(), embeddableQuery(readQuery(text), reader))).toEqual([text])
    }
  })

  it('reads each clause of a long query', () => {
    const text = 'Lösche die Datei im alten Ordner. Sende eine Nachricht an das ganze Team.'
    const [whole, ...clauses] = textsFor(english, embeddableQuery(readQuery(text), reader))
    expect(whole).toContain('delete file')
    expect(clauses).toEqual([expect.stringContaining('delete file'), expect.stringContaining('send message')])
  })
})

describe('embeddableQuery', () => {
  it('writes abbreviations out and leaves out what is excluded, for a model that knows English words', () => {
    expect(textsFor(english, embeddableQuery(readQuery('open a PR')))).toEqual(['open a pull request'])
    expect(textsFor(english, embeddableQuery(readQuery('search movies, not tv shows')))).toEqual(['search movies'])
  })
})
