import type { ConfigProblem } from '../config-problem.ts'
import { nearest } from '../nearest.ts'

/** An unchecked object of the file. */
export type RawObject = Readonly<Record<string, unknown>>

/** The parts of an unchecked configuration, as far as they have the right shape. */
export interface RawConfig {
  readonly top: RawObject
  /** The key of the servers. */
  readonly serversKey: 'mcpServers' | 'servers'
  readonly servers: ReadonlyMap<string, RawObject>
  readonly projects: ReadonlyMap<string, RawObject>
  readonly endpoints: ReadonlyMap<string, RawObject>
  readonly tokens: readonly RawObject[]
}

/** Splits a value into its parts; parts of the wrong shape are empty. */
export function describeRaw(value: unknown): RawConfig {
  const top = asObject(value)
  const serversKey = top['mcpServers'] === undefined && top['servers'] !== undefined ? 'servers' : 'mcpServers'
  return {
    top,
    serversKey,
    servers: asEntries(top[serversKey]),
    projects: asEntries(top['projects']),
    endpoints: asEntries(top['endpoints']),
    tokens: Array.isArray(top['tokens']) ? top['tokens'].map(asObject) : [],
  }
}

/** The value if it is an object, else an empty one. */
export function asObject(value: unknown): RawObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as RawObject) : {}
}

/** The texts of a list, with their positions. */
export function texts(value: unknown): { readonly index: number; readonly text: string }[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((text: unknown, index) => (typeof text === 'string' ? [{ index, text }] : []))
}

/** Names in a list that are unknown or given twice. */
export function badReferences(
  value: unknown,
  path: ConfigProblem['path'],
  what: string,
  known: Iterable<string>,
): ConfigProblem[] {
  const names = new Set(known)
  const seen = new Set<string>()
  return texts(value).flatMap(({ index, text }) => {
    const problems: ConfigProblem[] = []
    if (!names.has(text)) problems.push({ path: [...path, index], message: unknownName(what, text, names) })
    if (seen.has(text)) problems.push({ path: [...path, index], message: `${quote(text)} is listed twice` })
    seen.add(text)
    return problems
  })
}

/** "there is no server githb; did you mean github?" */
export function unknownName(what: string, name: string, known: Iterable<string>): string {
  const meant = nearest(name, known)
  return `there is no ${what} ${quote(name)}${meant === undefined ? '' : `; did you mean ${quote(meant)}?`}`
}

/** A name of the file in a sentence. */
export const quote = (name: string): string => JSON.stringify(name)

function asEntries(value: unknown): Map<string, RawObject> {
  return new Map(Object.entries(asObject(value)).map(([key, entry]) => [key, asObject(entry)]))
}
