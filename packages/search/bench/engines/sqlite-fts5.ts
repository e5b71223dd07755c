import { DatabaseSync } from 'node:sqlite'
import type { BenchTool } from '../bench-tool.ts'
import { DOCUMENT_FIELDS, toDocument } from '../bench-tool.ts'
import type { Engine } from './engine.ts'
import { MAX_RESULTS } from './engine.ts'

const COLUMNS = DOCUMENT_FIELDS.join(', ')

/**
 * SQLite's FTS5 in memory: Porter stemming, any word may match, BM25 order. Without a copy of the texts (`content=''`),
 * since the other engines that can do without keep none either.
 */
export function sqliteFts5(): Engine {
  const database = new DatabaseSync(':memory:')
  database.exec(`CREATE VIRTUAL TABLE tools USING fts5(${COLUMNS}, content='', tokenize='porter unicode61')`)
  const select = database.prepare(`SELECT rowid FROM tools WHERE tools MATCH ? ORDER BY rank LIMIT ${MAX_RESULTS}`)
  let ids: readonly string[] = []
  return {
    index: (tools) => {
      insertAll(database, tools)
      ids = tools.map((tool) => tool.id)
    },
    search: (query) => select.all(anyWord(query)).map((row) => ids[Number(row['rowid']) - 1] ?? ''),
  }
}

function insertAll(database: DatabaseSync, tools: readonly BenchTool[]): void {
  const insert = database.prepare(`INSERT INTO tools (rowid, ${COLUMNS}) VALUES (?, ?, ?, ?, ?)`)
  database.exec('BEGIN')
  for (const [position, tool] of tools.entries()) {
    const { name, server, description, parameters } = toDocument(tool)
    insert.run(position + 1, name, server, description, parameters)
  }
  database.exec('COMMIT')
}

function anyWord(query: string): string {
  return query
    .split(' ')
    .map((word) => `"${word.replaceAll('"', '""')}"`)
    .join(' OR ')
}
