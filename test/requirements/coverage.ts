import type { SourceFile } from '../repository-files.ts'

/** The first argument of `it`, `test` or `describe`, also behind a table as in `it.each(…)('title', …)`. */
const TITLE =
  /(?:\b(?:it|test|describe)(?:\.\w+)*|\))\(\s*(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"|`((?:\\.|[^`\\])*)`)/g
const ID = /\[([A-Z]\d{1,3})\]/g

/** The ids that test titles name, each with the files that name it. */
export function idsInTitles(files: readonly SourceFile[]): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const { path, text } of files) {
    for (const title of text.matchAll(TITLE)) {
      for (const [, id = ''] of (title[1] ?? title[2] ?? title[3] ?? '').matchAll(ID)) {
        const paths = found.get(id) ?? []
        if (!paths.includes(path)) paths.push(path)
        found.set(id, paths)
      }
    }
  }
  return found
}

/** What is wrong between the promises, the tests and the list of what is not proven yet. */
export function coverageProblems(
  known: readonly string[],
  proven: ReadonlyMap<string, readonly string[]>,
  notYet: ReadonlySet<string>,
): string[] {
  const problems: string[] = []
  for (const [id, paths] of proven) {
    if (!known.includes(id)) problems.push(`${id} is no requirement, but ${paths.join(', ')} names it`)
  }
  for (const id of notYet) {
    if (!known.includes(id)) problems.push(`${id} is no requirement, but NOT_YET names it`)
  }
  for (const id of known) {
    if (proven.has(id) && notYet.has(id)) problems.push(`${id} is proven: take it out of NOT_YET`)
    if (!proven.has(id) && !notYet.has(id)) problems.push(`${id} is proven by no test`)
  }
  return problems
}
