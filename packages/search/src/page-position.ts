import { type CursorList, type CursorPosition, type CursorSigner, invalidCursor } from './cursor.ts'
import { readCount } from './search-arguments.ts'
import type { PageOptions } from './tool-index.ts'

/**
 * Where the page that is asked for starts.
 * @throws ToolSearchError INVALID_CURSOR, also when a page of another size is asked for
 */
export function readPosition(
  cursors: CursorSigner,
  { cursor, pageSize }: PageOptions,
  list: CursorList,
): CursorPosition {
  if (cursor === undefined) return { offset: 0, pageSize: readCount(pageSize), ranker: 0 }
  const position = cursors.read(cursor, list)
  if (readCount(pageSize, position.pageSize) !== position.pageSize) throw invalidCursor('foreign')
  return position
}
