/** What stands in a page's URL after the question mark: texts, so that a view can be shared. */
export type PageSearch = Readonly<Record<string, string | undefined>>

/** Reads it as it stands there: `true` is a word like any other. */
export function readPageSearch(search: string): PageSearch {
  return Object.fromEntries(new URLSearchParams(search))
}

/** Writes it as people would. */
export function writePageSearch(search: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(search).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []))
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`
}
