import { escapeIdentifier } from 'pg'

/** The names of the tables, quoted, ready for statements. */
export interface Tables {
  readonly schema: string
  readonly migrations: string
  readonly indexes: string
  readonly servers: string
  readonly serverPostings: string
  readonly tools: string
  readonly postings: string
  readonly terms: string
  readonly changes: string
  /** The channel on which changes are told. */
  readonly channel: string
}

/** The tables of a schema. */
export function tablesOf(schema: string): Tables {
  const quoted = escapeIdentifier(schema)
  const table = (name: string): string => `${quoted}.${escapeIdentifier(name)}`
  return {
    schema: quoted,
    migrations: table('migrations'),
    indexes: table('indexes'),
    servers: table('servers'),
    serverPostings: table('server_postings'),
    tools: table('tools'),
    postings: table('postings'),
    terms: table('terms'),
    changes: table('changes'),
    channel: `${schema}_changes`,
  }
}
