import { basename } from 'node:path'
import { type Config, type ConfigProblem, placeOf } from '@tooldex/contract'
import { GatewayError } from '../errors.ts'
import type { StoredState } from '../model/stored-state.ts'
import { readConfigText } from './config-text.ts'
import { mergeConfig, type MergedConfig, NOTHING_STORED } from './merge-config.ts'
import { type ReferenceSources, substitute } from './substitute.ts'

/** The content of a file, parsed but not checked: it may refer to stored entries. */
export interface DeclaredConfig {
  /** The path of the file; absent without one. */
  readonly path?: string
  readonly value: unknown
  /** Problems that do not depend on stored entries. */
  readonly problems: readonly ConfigProblem[]
  /** Formats problems as lines with their locations in the file, in order. */
  readonly describe: (problems: readonly ConfigProblem[]) => string[]
}

/** Parses the text of a file. @throws GatewayError CONFIG_INVALID if it is not JSON */
export function readDeclared(text: string, path: string, sources: ReferenceSources): DeclaredConfig {
  const read = readConfigText(text)
  const describe = (problems: readonly ConfigProblem[]): string[] =>
    inOrder(problems, read.locate).map((problem) => {
      const { line, column } = read.locate(problem)
      return `${basename(path)}:${line}:${column} ${problemLine(problem)}`
    })
  // After a syntax error all other problems would be misleading.
  if (read.problems.some(({ message }) => message.startsWith('not valid JSON')))
    throw invalid(path, describe(read.problems))
  const { value, problems: missing } = substitute(read.value, sources)
  return { path, value, problems: [...read.problems, ...missing], describe }
}

/** A declared configuration without a file. */
export function declaredAs(value: unknown): DeclaredConfig {
  return { value, problems: [], describe: (problems) => problems.map(problemLine) }
}

/**
 * Checks declared and stored entries together; after a change of the store, the entries that it touched. @throws GatewayError CONFIG_INVALID whose `details.problems` has every
 * problem with its line and column
 */
export function checkDeclared(
  declared: DeclaredConfig,
  stored: StoredState = NOTHING_STORED,
  before?: MergedConfig,
): MergedConfig {
  const { merged, problems } = mergeConfig(declared.value, stored, before)
  const own = declared.problems
  const all = [...own, ...problems.filter((each) => !isAbout(own, each))]
  if (merged === undefined || all.length > 0) {
    throw invalid(declared.path ?? 'the configuration', declared.describe(all))
  }
  return merged
}

/** Parses and checks a file without a store. @throws GatewayError CONFIG_INVALID */
export function parseConfig(text: string, path: string, sources: ReferenceSources): Config {
  return checkDeclared(readDeclared(text, path, sources)).config
}

/** The error for a list of problems. */
export function invalid(path: string, problems: readonly string[]): GatewayError {
  const count = problems.length === 1 ? 'one problem' : `${problems.length} problems`
  return new GatewayError('CONFIG_INVALID', { file: path, problems, reason: `${path} has ${count}` })
}

/** A problem with its place, as a line. */
function problemLine({ path, message }: ConfigProblem): string {
  const place = placeOf(path)
  return place === '' ? message : `${place}: ${message}`
}

/** Whether a place already has a problem: a value with a missing variable is invalid, too. */
function isAbout(known: readonly ConfigProblem[], { path }: ConfigProblem): boolean {
  return known.some((each) => placeOf(each.path) === placeOf(path))
}

function inOrder(
  problems: readonly ConfigProblem[],
  locate: (problem: ConfigProblem) => { readonly line: number; readonly column: number },
): ConfigProblem[] {
  return problems
    .map((problem) => ({ problem, at: locate(problem) }))
    .toSorted((a, b) => a.at.line - b.at.line || a.at.column - b.at.column)
    .map(({ problem }) => problem)
}
