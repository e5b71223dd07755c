/** The query parameters of a page's URL, all strings. */
export type PageSearch = Readonly<Record<string, string | undefined>>

/** Reads the parameters without interpreting them: `true` stays a string. */
export function readPageSearch(search: string): PageSearch {
  return Object.fromEntries(new URLSearchParams(search))
}

/** Writes readable parameters. */
export function writePageSearch(search: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(search).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []))
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`
}
