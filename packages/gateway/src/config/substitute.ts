import type { ConfigProblem } from '@tooldex/contract'

/** `${NAME}`, `${NAME:-default}`, `${env:NAME}` of VS Code and Cursor; `$${` is an escaped `${`. */
const REFERENCE = /\$\$\{|\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}|\$\{input:([^}]*)\}/g

/** A value with its variables substituted, and problems for missing ones. */
export interface Substituted {
  readonly value: unknown
  readonly problems: readonly ConfigProblem[]
}

/** Substitutes environment variables in all strings of a configuration, except keys. */
export function substitute(value: unknown, variables: Readonly<Record<string, string | undefined>>): Substituted {
  const problems: ConfigProblem[] = []
  const inside = (each: unknown, path: readonly (string | number)[]): unknown => {
    if (typeof each === 'string') return inText(each, variables, (message) => problems.push({ path, message }))
    if (Array.isArray(each)) return each.map((entry, index) => inside(entry, [...path, index]))
    if (typeof each !== 'object' || each === null) return each
    return Object.fromEntries(Object.entries(each).map(([key, entry]) => [key, inside(entry, [...path, key])]))
  }
  return { value: inside(value, []), problems }
}

function inText(
  text: string,
  variables: Readonly<Record<string, string | undefined>>,
  report: (message: string) => void,
): string {
  return text.replace(REFERENCE, (whole, name?: string, fallback?: string, input?: string) => {
    if (whole === '$${') return '${'
    if (input !== undefined) {
      report(`the input ${input} cannot be prompted for here; use an environment variable: \${NAME}`)
      return whole
    }
    const found = name !== undefined && Object.hasOwn(variables, name) ? variables[name] : undefined
    // As in a shell, an empty variable counts as missing if there is a default.
    const value = found === '' && fallback !== undefined ? fallback : (found ?? fallback)
    if (value === undefined) {
      report(`the environment variable ${name} is not set; set it or write \${${name}:-default}`)
    }
    return value ?? whole
  })
}
