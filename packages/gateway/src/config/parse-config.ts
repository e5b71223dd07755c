import { basename } from 'node:path'
import { checkConfig, type Config, type ConfigProblem, placeOf } from '@tooldex/contract'
import { GatewayError } from '../errors.ts'
import { readConfigText } from './config-text.ts'
import { substitute } from './substitute.ts'

/**
 * A configuration from the text of its file. @throws GatewayError CONFIG_INVALID whose `details.problems` names every
 * problem with its line and column.
 */
export function parseConfig(
  text: string,
  path: string,
  variables: Readonly<Record<string, string | undefined>>,
): Config {
  const read = readConfigText(text)
  const tell = (problems: readonly ConfigProblem[]): string[] =>
    problems.map((problem) => {
      const { line, column } = read.locate(problem)
      return `${basename(path)}:${line}:${column} ${problemLine(problem)}`
    })
  // A file that is not JSON would be complained about in every other respect, too.
  if (read.problems.some(({ message }) => message.startsWith('not valid JSON')))
    throw invalid(path, tell(read.problems))
  const { value, problems: missing } = substitute(read.value, variables)
  const { config, problems } = checkConfig(value)
  const all = [...read.problems, ...missing, ...problems.filter((each) => !isAbout(missing, each))]
  if (config === undefined || all.length > 0) throw invalid(path, tell(inOrder(all, read.locate)))
  return config
}

/** An error that lists problems. */
export function invalid(path: string, problems: readonly string[]): GatewayError {
  const count = problems.length === 1 ? 'one problem' : `${problems.length} problems`
  return new GatewayError('CONFIG_INVALID', { file: path, problems, reason: `${path} has ${count}` })
}

/** A problem and its place, for people. */
export function problemLine({ path, message }: ConfigProblem): string {
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
