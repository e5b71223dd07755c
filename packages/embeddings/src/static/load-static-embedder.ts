import { readFileSync } from 'node:fs'
import * as zlib from 'node:zlib'
import { ToolSearchError } from '@tooldex/search'
import { StaticEmbedder } from './static-embedder.ts'

/** The table of this package; the same relative path from `src` and from `dist`. */
const TABLE = new URL('../../table/static.bin', import.meta.url)

/**
 * The embedder that comes with this package. Reads 8 MB, so keep it and share it.
 * @throws ToolSearchError EMBEDDER_FAILED when the table is missing or damaged.
 */
export function loadStaticEmbedder(table: URL | string = TABLE): StaticEmbedder {
  // Not in the first releases of Node 20.
  return new StaticEmbedder(bytesOf(table), 'crc32' in zlib ? zlib.crc32 : undefined)
}

function bytesOf(table: URL | string): Uint8Array {
  try {
    return readFileSync(table)
  } catch (cause) {
    const reason = 'the table of word vectors cannot be read'
    const remedy = 'Install @tooldex/embeddings again; its folder "table" must come with it.'
    throw new ToolSearchError('EMBEDDER_FAILED', { reason, table: String(table), remedy }, { cause })
  }
}
