import type { Embedder } from './embedder.ts'
import type { QueryReader } from '../../query/query-reader.ts'
import { expandAbbreviations } from '../../text/abbreviations.ts'
import { clausesOf } from '../bm25/query/clauses.ts'
import type { ReadQuery } from '../bm25/query/read-query.ts'
import { LEAST_READ, MOST_EMBEDDED_CHARACTERS, MOST_EMBEDDED_CLAUSES } from './parameters.ts'

/** A query with the texts whose vectors it needs: the whole of it, and its clauses. */
export interface EmbeddableQuery extends ReadQuery {
  readonly texts: readonly string[]
  /** The same for an embedder that reads English alone. */
  readonly englishTexts: readonly string[]
  /** The whole of it in English words, if it is in another language. */
  readonly english?: string
}

/** Picks what to embed of a query. */
export function embeddableQuery(read: ReadQuery, reader?: QueryReader): EmbeddableQuery {
  const clauses = read.root === undefined ? clausesOf(read.text, reader) : []
  const asked = [read.text, ...clauses.slice(0, MOST_EMBEDDED_CLAUSES).map(({ text }) => text)]
  const english = asked.map((text) => englishOf(text, reader))
  const [whole] = english
  return {
    ...read,
    texts: asked.map((text, nth) => cut(english[nth] === undefined ? text : `${text.trim()}\n${english[nth]}`)),
    englishTexts: asked.map((text, nth) => cut(english[nth] ?? expandAbbreviations(text))),
    ...(whole !== undefined && { english: whole }),
  }
}

/** The texts of a query for an embedder. */
export function textsFor({ language }: Embedder, query: EmbeddableQuery): readonly string[] {
  return language === 'en' ? query.englishTexts : query.texts
}

function englishOf(text: string, reader: QueryReader | undefined): string | undefined {
  const reading = reader?.read(text)
  if (reading === undefined || reading.shareRead < LEAST_READ || reading.english === '') return undefined
  return reading.english
}

function cut(text: string): string {
  return text.trim().slice(0, MOST_EMBEDDED_CHARACTERS)
}
