import type { ConfigProblem } from '@tooldex/contract'
import { isRecord } from '@tooldex/http-kit/json'

/**
 * The references of a configuration: `${NAME}`, `${NAME:-default}`, `${env:NAME}` of VS Code and Cursor, `${NAME?}`, whose
 * entry is left out if the variable is not set, `${input:NAME}`, `${file:/path}` and `${userHome}`; `$${` is an escaped `${`.
 */
const REFERENCE =
  /\$\$\{|\$\{input:([^}:]+)(?::-([^}]*))?\}|\$\{file:([^}]+)\}|\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*)|(\?))?\}/g

type Variables = Readonly<Record<string, string | undefined>>

/** The values that references can have. */
export interface ReferenceSources {
  readonly variables: Variables
  readonly home?: string
  /** The content of a file, or undefined if it cannot be read. Without it, references to files are problems. */
  readonly readFile?: (path: string) => string | undefined
}

/** A value with its references resolved, and problems for missing values. */
export interface Substituted {
  readonly value: unknown
  readonly problems: readonly ConfigProblem[]
  /** The names of missing variables and inputs, and the paths of missing files, each once. */
  readonly missing: readonly string[]
}

type Report = (name: string, message: string) => void

/**
 * Resolves the references in all strings of a configuration, except keys. An object with `inputs` provides values for the
 * references in it; these values are secrets that a person entered, so they are taken literally.
 */
export function substitute(value: unknown, sources: ReferenceSources): Substituted {
  const problems: ConfigProblem[] = []
  const missing = new Set<string>()
  const inside = (each: unknown, path: readonly (string | number)[], inputs: Variables): unknown => {
    if (typeof each === 'string') {
      return inText(each, { ...sources, inputs }, (name, message) => {
        missing.add(name)
        problems.push({ path, message })
      })
    }
    if (Array.isArray(each)) {
      return each.map((entry, index) => inside(entry, [...path, index], inputs)).filter((entry) => entry !== undefined)
    }
    if (!isRecord(each)) return each
    const own = each['inputs']
    const known = isRecord(own) ? (own as Variables) : inputs
    const entries = Object.entries(each).map(
      ([key, entry]) => [key, entry === known ? entry : inside(entry, [...path, key], known)] as const,
    )
    return Object.fromEntries(entries.filter(([, entry]) => entry !== undefined))
  }
  return { value: inside(value, [], {}), problems, missing: [...missing] }
}

/** Escapes a text, so that nothing in it is a reference. */
export function escapeReferences(text: string): string {
  return text.replaceAll('${', () => '$${')
}

/** A text with its references resolved; undefined if it has an optional reference without a value. */
function inText(
  text: string,
  { variables, home, readFile, inputs }: ReferenceSources & { readonly inputs: Variables },
  report: Report,
): string | undefined {
  let isLeftOut = false
  const optional = (): string => {
    isLeftOut = true
    return ''
  }
  const resolved = text.replace(
    REFERENCE,
    (
      whole,
      input: string | undefined,
      inputDefault: string | undefined,
      file: string | undefined,
      name: string | undefined,
      fallback: string | undefined,
      isOptional: string | undefined,
    ) => {
      if (whole === '$${') return '${'
      if (input !== undefined) {
        const value = own(inputs, input) ?? inputDefault
        if (value === undefined) report(input, `the input ${input} has no value; add it to "inputs" of the server`)
        return value ?? whole
      }
      if (file !== undefined) {
        const content = readFile?.(file)
        if (content === undefined) report(file, `the file ${file} cannot be read`)
        return content ?? whole
      }
      if (name === undefined) return whole
      const found = own(inputs, name) ?? own(variables, name) ?? (name === 'userHome' ? home : undefined)
      // As in a shell, an empty variable counts as missing if there is a default.
      const value = found === '' && fallback !== undefined ? fallback : (found ?? fallback)
      if (value !== undefined) return value
      if (isOptional !== undefined) return optional()
      report(name, `the environment variable ${name} is not set; set it or write \${${name}:-default}`)
      return whole
    },
  )
  return isLeftOut ? undefined : resolved
}

function own(values: Variables, name: string): string | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined
}
