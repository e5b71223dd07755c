import {
  type ConfigProblem,
  nearest,
  placeOf,
  PROGRAM_VARIABLES,
  type SettingVariable,
  settingVariables,
} from '@tooldex/contract'
import { isRecord } from '@tooldex/http-kit/json'
import type { DeclaredConfig } from './parse-config.ts'
import { type ReferenceSources, substitute } from './substitute.ts'

type Variables = Readonly<Record<string, string | undefined>>

/** Marks processes that a gateway started. */
const MARK = 'TOOLDEX_GATEWAY'
/** `tooldex search-api` reads them from the same environment, where the gateway may have no use for them. */
const SHARED: ReadonlyMap<string, (value: Readonly<Record<string, unknown>>) => boolean> = new Map([
  ['TOOLDEX_SEARCH_API_TOKEN', ({ searchApi }) => isRecord(searchApi) && searchApi['url'] !== undefined],
  ['TOOLDEX_EMBEDDINGS_API_KEY', ({ embeddings }) => isRecord(embeddings) && embeddings['provider'] === 'http'],
])

/** The names of set variables that begin like ours and are not those of the program. */
function ownNames(variables: Variables): string[] {
  return Object.keys(variables).filter(
    (name) =>
      name.startsWith('TOOLDEX_') &&
      name !== MARK &&
      !PROGRAM_VARIABLES.has(name) &&
      valueOf(variables, name) !== undefined,
  )
}

/** The configuration with the settings of environment variables in place of those of the file. */
export function withVariables(declared: DeclaredConfig, sources: ReferenceSources): DeclaredConfig {
  const { variables } = sources
  const names = new Set(ownNames(variables))
  const database = valueOf(variables, 'TOOLDEX_DATABASE_URL')
  if (!isRecord(declared.value) || (names.size === 0 && database === undefined)) return declared
  let value: Readonly<Record<string, unknown>> =
    database === undefined ? declared.value : { ...declared.value, database }
  const problems: ConfigProblem[] = []
  const used: SettingVariable[] = []
  // The schema is read only where it is needed: it takes some milliseconds.
  const settings = names.size === 0 ? [] : settingVariables().filter(({ name }) => names.has(name))
  // Shared ones last: they depend on the others.
  for (const setting of settings.toSorted(
    (one, other) => Number(SHARED.has(one.name)) - Number(SHARED.has(other.name)),
  )) {
    if (SHARED.get(setting.name)?.(value) === false) continue
    const read = readVariable(setting, valueOf(variables, setting.name) ?? '', sources)
    problems.push(...read.problems)
    value = withValue(value, setting.path, read.value)
    used.push(setting)
  }
  const isOurs = ({ path }: ConfigProblem): boolean => settingOf(used, path) !== undefined
  return {
    ...declared,
    value,
    problems: [...declared.problems.filter((problem) => !isOurs(problem)), ...problems],
    describe: (all) => [
      ...all.filter(isOurs).map((problem) => variableLine(used, problem)),
      ...declared.describe(all.filter((problem) => !isOurs(problem))),
    ],
  }
}

/** A sentence for each variable that looks like one of ours and sets nothing; `text` is that of the file, which may use it. */
export function unknownVariables(variables: Variables, text: string): readonly string[] {
  const names = ownNames(variables)
  if (names.length === 0) return []
  const known = [...settingVariables().map(({ name }) => name), ...PROGRAM_VARIABLES.keys()]
  return names
    .filter((name) => !known.includes(name) && !text.includes(name))
    .map((name) => {
      const meant = nearest(name, known)
      return `the environment variable ${name} sets nothing${meant === undefined ? '' : `; did you mean ${meant}?`}`
    })
}

/** The value of a variable; an empty one counts as not set. */
function valueOf(variables: Variables, name: string): string | undefined {
  const value = variables[name]?.trim()
  return value === '' ? undefined : value
}

interface ReadVariable {
  readonly value: unknown
  readonly problems: readonly ConfigProblem[]
}

/** A text that does not have its form stays a text, which the check of the whole configuration reports. */
function readVariable({ form, path }: SettingVariable, text: string, sources: ReferenceSources): ReadVariable {
  const plain = (value: unknown): ReadVariable => ({ value, problems: [] })
  switch (form) {
    case 'text':
      return plain(text)
    case 'number':
      return plain(/^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text)
    case 'true or false':
      return plain(text === 'true' ? true : text === 'false' ? false : text)
    case 'list':
      return text.startsWith('[') ? readJson(text, path, sources) : plain(text.split(',').map((entry) => entry.trim()))
    case 'JSON':
      return readJson(text, path, sources)
  }
}

function readJson(text: string, path: readonly string[], sources: ReferenceSources): ReadVariable {
  try {
    const { value, problems } = substitute(JSON.parse(text), sources)
    return { value, problems: problems.map((problem) => ({ ...problem, path: [...path, ...problem.path] })) }
  } catch {
    // Without the message of the parser, which quotes the text.
    return { value: undefined, problems: [{ path, message: 'is not valid JSON' }] }
  }
}

function withValue(
  value: Readonly<Record<string, unknown>>,
  [key = '', ...rest]: readonly string[],
  inner: unknown,
): Readonly<Record<string, unknown>> {
  const own = value[key]
  return { ...value, [key]: rest.length === 0 ? inner : withValue(isRecord(own) ? own : {}, rest, inner) }
}

function settingOf(used: readonly SettingVariable[], path: ConfigProblem['path']): SettingVariable | undefined {
  return used.find((setting) => setting.path.every((key, at) => path[at] === key))
}

function variableLine(used: readonly SettingVariable[], { path, message }: ConfigProblem): string {
  const setting = settingOf(used, path)
  const place = placeOf(path.slice(setting?.path.length))
  return `${setting?.name}: ${place === '' ? '' : `${place}: `}${message}`
}
