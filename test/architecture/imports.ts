import { posix } from 'node:path'
import type { SourceFile } from '../repository-files.ts'

/** A rule for imports. Paths are prefixes from the top folder; anything else is a package name or `node:`. */
export interface ImportRule {
  /** The files that the rule is about. */
  readonly of: readonly string[]
  /** Files among them that it does not bind. */
  readonly except?: readonly string[]
  /** If present, nothing else may be imported. */
  readonly only?: readonly string[]
  /** Forbidden imports. */
  readonly never?: readonly string[]
  readonly because: string
}

const STATEMENT = /(?:^|[;\s])(?:import|export)\b(?:[^'"`;]*?\bfrom)?\s*(['"])([^'"\s]+)\1/g
const CALL = /\bimport\(\s*(['"`])([^'"`]+)\1/g
const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm

/** The imports of a file: repository paths for relative specifiers, the specifier itself otherwise. */
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

/**
 * Sibling folders that import each other in a circle, type imports included. Below each folder, its sub-folders are
 * compared with one another; files that lie beside them do not count.
 */
export function folderCycles(files: readonly SourceFile[]): string[] {
  const known = new Set(files.map(({ path }) => path))
  const graphs = new Map<string, Map<string, Set<string>>>()
  for (const file of files) {
    for (const target of importsOf(file)) {
      const siblings = known.has(target) ? siblingFolders(file.path, target) : undefined
      if (siblings === undefined) continue
      const [parent, from, to] = siblings
      const graph = graphs.get(parent) ?? new Map<string, Set<string>>()
      graphs.set(parent, graph.set(from, (graph.get(from) ?? new Set()).add(to)))
    }
  }
  return [...graphs].flatMap(([parent, graph]) =>
    [...graph.keys()]
      .filter((folder) => reaches(graph, folder, folder))
      .map((folder) => `${parent}${folder}/ is part of a cycle of folders`),
  )
}

/** Where two paths part, if both go on into a folder there: the folder above, and the two below it. */
function siblingFolders(one: string, other: string): readonly [parent: string, from: string, to: string] | undefined {
  const [ones, others] = [one.split('/'), other.split('/')]
  const depth = ones.findIndex((part, index) => part !== others[index])
  const [from, to] = [ones[depth], others[depth]]
  const areFolders = depth >= 0 && depth < ones.length - 1 && depth < others.length - 1
  if (!areFolders || from === undefined || to === undefined) return undefined
  return [`${ones.slice(0, depth).join('/')}/`, from, to]
}

function reaches(graph: ReadonlyMap<string, ReadonlySet<string>>, start: string, goal: string): boolean {
  const seen = new Set<string>()
  const open = [start]
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const next of graph.get(folder) ?? []) {
      if (next === goal) return true
      if (!seen.has(next)) open.push(next)
      seen.add(next)
    }
  }
  return false
}
