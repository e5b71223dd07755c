import { checkConfig, type ConfigProblem, placeOf } from '@tooldex/contract'
import { mergeConfig } from '../config/merge-config.ts'
import type { StoredState } from '../model/stored-state.ts'

type Json = Readonly<Record<string, unknown>>

/**
 * What a change would make wrong: file and store together, checked as if one file said it all. Loose ends that were there
 * before stop nobody.
 */
export function newProblems(declared: unknown, before: StoredState, after: StoredState): readonly ConfigProblem[] {
  const problems = checkConfig(asOneFile(declared, after)).problems
  const clashes = mergeConfig(declared, after).problems
  if (problems.length === 0) return clashes
  const known = new Set(checkConfig(asOneFile(declared, before)).problems.map(signOf))
  const fresh = problems.filter((problem) => !known.has(signOf(problem)))
  return fresh.length > 0 ? fresh : clashes
}

/** Tokens are a list, in which others move when one goes. */
function signOf({ path, message }: ConfigProblem): string {
  return `${placeOf(path[0] === 'tokens' ? [...path.slice(0, 1), ...path.slice(2)] : path)} ${message}`
}

function asOneFile(declared: unknown, { servers, projects, endpoints, tokens }: StoredState): Json {
  const top = asObject(declared)
  const { mcpServers, servers: alias, ...rest } = top
  const clients = tokens.filter(({ kind }) => kind === 'client')
  return {
    ...rest,
    mcpServers: together(mcpServers ?? alias, servers),
    projects: together(top['projects'], projects),
    endpoints: together(top['endpoints'], endpoints),
    tokens: [
      ...(Array.isArray(top['tokens']) ? (top['tokens'] as unknown[]) : []),
      ...clients.map(({ name, hash, readOnly, projects: ofProjects, servers: ofServers }) => ({
        name,
        sha256: hash,
        readOnly,
        ...(ofProjects !== undefined && { projects: ofProjects }),
        ...(ofServers !== undefined && { servers: ofServers }),
      })),
    ],
  }
}

function together(declared: unknown, stored: readonly { readonly id: string; readonly config: object }[]): Json {
  return Object.fromEntries([
    ...Object.entries(asObject(declared)),
    ...stored.map(({ id, config }) => [id, config] as const),
  ])
}

function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
}
