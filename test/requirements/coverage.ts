import type { SourceFile } from '../repository-files.ts'

/**
 * The first argument of `it` or `test`, also behind a table as in `it.each(…)('title', …)`. Lint makes sure that such a test
 * asserts something; a group proves nothing.
 */
const TITLE = /(?:\b(?:it|test)(?:\.\w+)*|\))\(\s*(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"|`((?:\\.|[^`\\])*)`)/g
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

/** The promises whose tests are missing, wholly or in part. */
export interface MissingProofs {
  readonly notYet: ReadonlyMap<string, string>
  readonly inPart: ReadonlyMap<string, string>
}

/** The contradictions between the promises, the tests and the lists of missing proofs. */
export function coverageProblems(
  known: readonly string[],
  proven: ReadonlyMap<string, readonly string[]>,
  { notYet, inPart }: MissingProofs,
): string[] {
  const problems: string[] = []
  for (const [id, paths] of proven) {
    if (!known.includes(id)) problems.push(`${id} is no requirement, but ${paths.join(', ')} names it`)
  }
  for (const id of [...notYet.keys(), ...inPart.keys()]) {
    if (!known.includes(id)) problems.push(`${id} is no requirement, but a list of missing proofs names it`)
  }
  for (const id of known) {
    if (proven.has(id) && notYet.has(id)) problems.push(`${id} has a test: take it out of NOT_YET`)
    if (!proven.has(id) && inPart.has(id)) problems.push(`${id} has no test: PROVEN_IN_PART is wrong about it`)
    if (!proven.has(id) && !notYet.has(id)) problems.push(`${id} is proven by no test`)
  }
  return problems
}
