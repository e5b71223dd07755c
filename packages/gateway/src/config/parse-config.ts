import { basename } from 'node:path'
import { type Config, type ConfigProblem, placeOf } from '@tooldex/contract'
import type { StoredState } from '../model/stored-state.ts'
import { GatewayError } from '../errors.ts'
import { readConfigText } from './config-text.ts'
import { mergeConfig, type MergedConfig, NOTHING_STORED } from './merge-config.ts'
import { substitute } from './substitute.ts'

type Variables = Readonly<Record<string, string | undefined>>

/** What a file declares, read but not yet checked: it may name what is stored. */
export interface DeclaredConfig {
  /** Where it came from; absent for what the program made itself, and for no file at all. */
  readonly path?: string
  readonly value: unknown
  /** What is wrong with it whatever is stored. */
  readonly problems: readonly ConfigProblem[]
  /** Problems as lines for people, with their places in the file, in order. */
  readonly tell: (problems: readonly ConfigProblem[]) => string[]
}

/** Reads the text of a file. @throws GatewayError CONFIG_INVALID for what is not JSON. */
export function readDeclared(text: string, path: string, variables: Variables): DeclaredConfig {
  const read = readConfigText(text)
  const tell = (problems: readonly ConfigProblem[]): string[] =>
    inOrder(problems, read.locate).map((problem) => {
      const { line, column } = read.locate(problem)
      return `${basename(path)}:${line}:${column} ${problemLine(problem)}`
    })
  // A file that is not JSON would be complained about in every other respect, too.
  if (read.problems.some(({ message }) => message.startsWith('not valid JSON')))
    throw invalid(path, tell(read.problems))
  const { value, problems: missing } = substitute(read.value, variables)
  return { path, value, problems: [...read.problems, ...missing], tell }
}

/** What is declared where nobody wrote a file, or by the program itself. */
export function declaredAs(value: unknown): DeclaredConfig {
  return { value, problems: [], tell: (problems) => problems.map(problemLine) }
}

/**
 * Checks what is declared together with what is stored. @throws GatewayError CONFIG_INVALID whose `details.problems` names
 * every problem with its line and column.
 */
export function checkDeclared(declared: DeclaredConfig, stored: StoredState = NOTHING_STORED): MergedConfig {
  const { merged, problems } = mergeConfig(declared.value, stored)
  const own = declared.problems
  const all = [...own, ...problems.filter((each) => !isAbout(own, each))]
  if (merged === undefined || all.length > 0) {
    throw invalid(declared.path ?? 'the configuration', declared.tell(all))
  }
  return merged
}

/** A configuration from the text of its file alone. @throws GatewayError CONFIG_INVALID */
export function parseConfig(text: string, path: string, variables: Variables): Config {
  return checkDeclared(readDeclared(text, path, variables)).config
}

/** An error that lists problems. */
export function invalid(path: string, problems: readonly string[]): GatewayError {
  const count = problems.length === 1 ? 'one problem' : `${problems.length} problems`
  return new GatewayError('CONFIG_INVALID', { file: path, problems, reason: `${path} has ${count}` })
}

/** A problem and its place, for people. */
function problemLine({ path, message }: ConfigProblem): string {
  const place = placeOf(path)
  return place === '' ? message : `${place}: ${message}`
}

/** Whether a place already has a problem: a value whose variable is missing cannot be right either. */
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
