import { type ConfigJsonSchema, configJsonSchema } from './json-schema.ts'

/** How the text of a variable becomes a value. */
export type VariableForm = 'text' | 'number' | 'true or false' | 'list' | 'JSON'

/** An environment variable that sets a setting. */
export interface SettingVariable {
  /** Such as `TOOLDEX_LISTEN_PORT`. */
  readonly name: string
  /** Keys that lead to the setting: `['listen', 'port']`. */
  readonly path: readonly string[]
  readonly form: VariableForm
}

/** Variables that belong to the program and set no setting. Each can be read from a file, too. */
export const PROGRAM_VARIABLES: ReadonlyMap<string, string> = new Map([
  [
    'TOOLDEX_SECRET_KEY',
    'The key that encrypts stored secrets, and keys that were used before it, separated by commas.',
  ],
  ['TOOLDEX_DATABASE_URL', 'Another name of `TOOLDEX_DATABASE`.'],
  ['TOOLDEX_TOKEN', 'The token of `tooldex stdio`.'],
  ['TOOLDEX_LLM_API_KEY', 'The key of the language model of `tooldex search-api`.'],
  ['TOOLDEX_SEARCH_API_DATABASE', 'The database of `tooldex search-api`.'],
])

/** Of editors and other programs; the same setting has another name. */
const LEFT_OUT: ReadonlySet<string> = new Set(['$schema', 'servers', 'middleware'])

/** Every variable that sets a setting, from the schema: `listen.maxBody` is `TOOLDEX_LISTEN_MAX_BODY`. */
export function settingVariables(schema: ConfigJsonSchema = configJsonSchema()): readonly SettingVariable[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, property]) =>
    LEFT_OUT.has(key) ? [] : variablesOf([key], property),
  )
}

function variablesOf(path: readonly string[], schema: ConfigJsonSchema): readonly SettingVariable[] {
  const { properties } = schema
  if (properties !== undefined) {
    return Object.entries(properties).flatMap(([key, property]) => variablesOf([...path, key], property))
  }
  return [{ name: `TOOLDEX_${path.map(upperCase).join('_')}`, path, form: formOf(schema) }]
}

function upperCase(key: string): string {
  return key.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase()
}

function formOf(schema: ConfigJsonSchema): VariableForm {
  const { type, enum: values } = schema
  if (type === 'string' || values !== undefined) return 'text'
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'boolean') return 'true or false'
  return (schema.anyOf ?? [schema]).some(isListOfTexts) ? 'list' : 'JSON'
}

function isListOfTexts({ type, items }: ConfigJsonSchema): boolean {
  return type === 'array' && [items, ...(items?.anyOf ?? [])].some((each) => each?.type === 'string')
}
