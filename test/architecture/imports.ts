import { posix } from 'node:path'
import type { SourceFile } from '../repository-files.ts'

/** Who may import what. Paths are prefixes from the top folder; anything else is a package name or `node:`. */
export interface ImportRule {
  /** The files that the rule is about. */
  readonly of: readonly string[]
  /** Files among them that it does not bind. */
  readonly except?: readonly string[]
  /** If present, nothing else may be imported. */
  readonly only?: readonly string[]
  /** What may not be imported. */
  readonly never?: readonly string[]
  readonly because: string
}

const STATEMENT = /(?:^|[;\s])(?:import|export)\b(?:[^'"`;]*?\bfrom)?\s*(['"])([^'"]+)\1/g
const CALL = /\bimport\(\s*(['"`])([^'"`]+)\1/g
const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm

/** What a file imports: repository paths for relative specifiers, the specifier itself otherwise. */
export function importsOf(file: SourceFile): string[] {
  const code = file.text.replace(COMMENT, '')
  return [...code.matchAll(STATEMENT), ...code.matchAll(CALL)].map(([, , specifier = '']) =>
    specifier.startsWith('.') ? posix.join(posix.dirname(file.path), specifier) : specifier,
  )
}

/** Every import that breaks a rule, as a sentence. */
export function forbiddenImports(rules: readonly ImportRule[], files: readonly SourceFile[]): string[] {
  return rules.flatMap((rule) =>
    files
      .filter(({ path }) => startsWithAny(path, rule.of) && !startsWithAny(path, rule.except ?? []))
      .flatMap((file) =>
        importsOf(file)
          .filter((target) => isForbidden(rule, target))
          .map((target) => `${file.path} imports ${target}: ${rule.because}`),
      ),
  )
}

function isForbidden(rule: ImportRule, target: string): boolean {
  if (startsWithAny(target, rule.never ?? [])) return true
  return rule.only !== undefined && !startsWithAny(target, rule.only)
}

const startsWithAny = (path: string, prefixes: readonly string[]): boolean =>
  prefixes.some((prefix) => path.startsWith(prefix))
