import type { ConfigProblem } from '../config-problem.ts'
import { asObject, badReferences, quote, type RawConfig, type RawObject, texts, unknownName } from './raw-config.ts'

const DEFAULT_PROJECT = 'default'
const NO_PROJECT = '__unassigned__'
/** Keys that mean the same setting: a project, an endpoint or a tool says one of each. */
export const SAME_SETTINGS: readonly (readonly string[])[] = [
  ['strategy', 'optimization', 'default_search_method', 'override_search_method'],
  ['maxTools', 'maxToolsLimit'],
  ['selectionOrder', 'toolSelectionOrder'],
  ['deferLoading', 'default_defer_loading', 'override_defer_loading', 'defer_loading'],
  ['exposure', 'default_tool_visibility', 'override_tool_visibility'],
]

/** Projects name servers that exist, have names of their own, and say everything once. */
export function projectRules(raw: RawConfig): ConfigProblem[] {
  const { projects, servers } = raw
  return [
    ...sameNames(projects),
    ...[...projects].flatMap(([id, project]) => [
      ...idRules(id, project),
      ...badReferences(project['servers'], ['projects', id, 'servers'], 'server', servers.keys()),
      ...toolRules(id, project, raw),
      ...saidTwice(project, ['projects', id]),
    ]),
  ]
}

/** Settings that are given under two names. */
export function saidTwice(settings: RawObject, path: ConfigProblem['path']): ConfigProblem[] {
  return SAME_SETTINGS.flatMap((keys) => {
    const [first, ...others] = keys.filter((key) => settings[key] !== undefined)
    return others.map((key) => ({
      path: [...path, key],
      message: `means the same as ${first}; keep one of them`,
      isKey: true,
    }))
  })
}

function idRules(id: string, project: RawObject): ConfigProblem[] {
  if (id === NO_PROJECT) return [{ path: ['projects', id], message: 'the name is reserved', isKey: true }]
  if (id === DEFAULT_PROJECT || project['servers'] !== undefined) return []
  return [{ path: ['projects', id], message: 'needs servers: the ids of the servers that it has' }]
}

function toolRules(id: string, project: RawObject, { servers }: RawConfig): ConfigProblem[] {
  const own = project['servers'] === undefined ? undefined : new Set(texts(project['servers']).map(({ text }) => text))
  return Object.entries(asObject(project['tools'])).flatMap(([key, tool]) => {
    const serverId = key.slice(0, key.indexOf(':'))
    const path = ['projects', id, 'tools', key]
    if (serverId === '') return []
    const twice = saidTwice(asObject(tool), path)
    if (twice.length > 0) return twice
    if (!servers.has(serverId)) {
      return [{ path, message: unknownName('server', serverId, servers.keys()), isKey: true }]
    }
    if (own === undefined || own.has(serverId)) return []
    return [{ path, message: `the project has no server ${quote(serverId)}`, isKey: true }]
  })
}

function sameNames(projects: RawConfig['projects']): ConfigProblem[] {
  const owners = new Map<string, string>()
  return [...projects].flatMap(([id, project]) => {
    const name = (typeof project['name'] === 'string' ? project['name'] : id).trim()
    const owner = owners.get(name.toLowerCase())
    owners.set(name.toLowerCase(), owner ?? id)
    if (owner === undefined) return []
    const path = ['projects', id, ...(typeof project['name'] === 'string' ? ['name'] : [])]
    return [{ path, message: `the project ${quote(owner)} is already called ${quote(name)}` }]
  })
}
