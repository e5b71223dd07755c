/** Ids by code units: the same order on every machine, which `localeCompare` is not. */
export function compareIds(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
