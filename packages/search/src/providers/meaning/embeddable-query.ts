import { clausesOf } from '../bm25/clauses.ts'
import { type ReadQuery, readQuery } from '../bm25/read-query.ts'
import { MOST_EMBEDDED_CHARACTERS, MOST_EMBEDDED_CLAUSES } from './parameters.ts'

/** A query with the texts whose vectors it needs: the whole of it, and its clauses. */
export interface EmbeddableQuery extends ReadQuery {
  readonly texts: readonly string[]
}

/** Reads a query and picks what to embed of it. */
export function embeddableQuery(query: string): EmbeddableQuery {
  const read = readQuery(query)
  const clauses = read.root === undefined ? clausesOf(read.text) : []
  const texts = [read.text, ...clauses.slice(0, MOST_EMBEDDED_CLAUSES).map(({ text }) => text)]
  return { ...read, texts: texts.map((text) => text.trim().slice(0, MOST_EMBEDDED_CHARACTERS)) }
}
