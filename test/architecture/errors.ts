/** Codes as a reference page lists them: in a heading or in the first cell of a table row. */
const LISTED = /^(?:#{2,6}\s+|\|\s*)`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)`/gm

/** Codes that the page does not explain, and explained codes that do not exist. */
export function undocumentedErrors(codes: readonly string[], page: string): string[] {
  const listed = new Set([...page.matchAll(LISTED)].map(([, code = '']) => code))
  return [
    ...codes.filter((code) => !listed.has(code)).map((code) => `${code} is not explained`),
    ...[...listed].filter((code) => !codes.includes(code)).map((code) => `${code} is explained but does not exist`),
  ]
}
