import { fromCursor, type Page, type PageAsk, pageOf } from '../../list-page.ts'
import { invalidField } from '../changes/invalid-request.ts'

/** A page of entries in their own order. @throws InvalidRequest for a cursor that is none of the list */
export function entryPage<Entry extends { readonly id: string }>(entries: readonly Entry[], ask: PageAsk): Page<Entry> {
  const page = pageOf(entries, ({ id }) => id, ask)
  if (page === undefined) throw badCursor()
  return page
}

/** The key after which a sorted list goes on. */
export function keyAfter(cursor: string | undefined): string {
  if (cursor === undefined) return ''
  const [key] = fromCursor(cursor)
  if (typeof key !== 'string') throw badCursor()
  return key
}

function badCursor(): Error {
  return invalidField('cursor', 'is not one of this list; start again without it')
}
