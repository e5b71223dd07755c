import type { ConfigProblem } from '../config-problem.ts'
import { nearest } from '../nearest.ts'

/** An unchecked object of the file. */
export type RawObject = Readonly<Record<string, unknown>>

/** Entries that are known to be valid: others may refer to them, and they are not checked. */
export interface ValidEntries {
  readonly servers: ReadonlyMap<string, object>
  readonly projects: ReadonlyMap<string, object>
}

/** The parts of an unchecked configuration, as far as they have the right shape. */
export interface RawConfig {
  readonly top: RawObject
  /** The key of the servers. */
  readonly serversKey: 'mcpServers' | 'servers'
  readonly servers: ReadonlyMap<string, RawObject>
  readonly projects: ReadonlyMap<string, RawObject>
  readonly endpoints: ReadonlyMap<string, RawObject>
  readonly tokens: readonly RawObject[]
  /** The entries that may be referred to: those that are checked, and valid ones. */
  readonly known: {
    readonly servers: ReadonlyMap<string, RawObject>
    readonly projects: ReadonlyMap<string, RawObject>
  }
}

/** Splits a value into its parts; parts of the wrong shape are empty. */
export function describeRaw(value: unknown, valid?: ValidEntries): RawConfig {
  const top = asObject(value)
  const serversKey = top['mcpServers'] === undefined && top['servers'] !== undefined ? 'servers' : 'mcpServers'
  const [servers, projects] = [asEntries(top[serversKey]), asEntries(top['projects'])]
  return {
    top,
    serversKey,
    servers,
    projects,
    known: { servers: together(valid?.servers, servers), projects: together(valid?.projects, projects) },
    endpoints: asEntries(top['endpoints']),
    tokens: Array.isArray(top['tokens']) ? top['tokens'].map(asObject) : [],
  }
}

function together(
  valid: ReadonlyMap<string, object> | undefined,
  checked: ReadonlyMap<string, RawObject>,
): ReadonlyMap<string, RawObject> {
  return valid === undefined ? checked : new Map([...(valid as ReadonlyMap<string, RawObject>), ...checked])
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

/** A set or a map by name. */
type Names = Pick<ReadonlyMap<string, unknown>, 'has' | 'keys'>

/** Names in a list that are unknown or given twice. */
export function badReferences(
  value: unknown,
  path: ConfigProblem['path'],
  what: string,
  names: Names,
): ConfigProblem[] {
  const seen = new Set<string>()
  return texts(value).flatMap(({ index, text }) => {
    const problems: ConfigProblem[] = []
    if (!names.has(text)) problems.push({ path: [...path, index], message: unknownName(what, text, names.keys()) })
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
