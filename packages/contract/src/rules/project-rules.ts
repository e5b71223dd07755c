import type { ConfigProblem } from '../config-problem.ts'
import { asObject, badReferences, quote, type RawConfig, type RawObject, texts, unknownName } from './raw-config.ts'

const DEFAULT_PROJECT = 'default'
const NO_PROJECT = '__unassigned__'
/** Keys of the same setting: a project, an endpoint or a tool may have one of each. */
export const SAME_SETTINGS: readonly (readonly string[])[] = [
  ['strategy', 'optimization', 'default_search_method', 'override_search_method'],
  ['maxTools', 'maxToolsLimit'],
  ['selectionOrder', 'toolSelectionOrder'],
  ['deferLoading', 'default_defer_loading', 'override_defer_loading', 'defer_loading'],
  ['exposure', 'default_tool_visibility', 'override_tool_visibility'],
]

/** Projects refer to existing servers, have unique names, and have every setting once. */
export function projectRules(raw: RawConfig): ConfigProblem[] {
  const { projects, servers } = raw
  return [
    ...sameNames(projects),
    ...[...projects].flatMap(([id, project]) => [
      ...idRules(id, project),
      ...badReferences(project['servers'], ['projects', id, 'servers'], 'server', servers.keys()),
      ...toolRules(id, project, raw),
      ...repeatedSettings(project, ['projects', id]),
    ]),
  ]
}

/** Settings that are given under two names. */
function repeatedSettings(settings: RawObject, path: ConfigProblem['path']): ConfigProblem[] {
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
    const twice = repeatedSettings(asObject(tool), path)
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

/** First path segments that the gateway uses or reserves. */
const RESERVED = new Set([
  ...['mcp', 'sse', 'message', 'messages', 'healthz', 'readyz', 'metrics'],
  ...['admin', 'api', 'assets', 'catalog', 'console', 'endpoints', 'oauth'],
])
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/i

/** Endpoints serve existing projects at free addresses, and need a token unless only this machine can connect. */
export function endpointRules(raw: RawConfig): ConfigProblem[] {
  return [...raw.endpoints].flatMap(([id, endpoint]) =>
    [...ownRules(id, endpoint, raw), ...transparentRules(endpoint, raw), ...repeatedSettings(endpoint, [])].map(
      (problem) => ({
        ...problem,
        path: ['endpoints', id, ...problem.path],
      }),
    ),
  )
}

function ownRules(id: string, endpoint: RawObject, { top, projects }: RawConfig): ConfigProblem[] {
  const problems: ConfigProblem[] = []
  if (RESERVED.has(id.toLowerCase())) {
    problems.push({ path: [], message: 'the name is part of the gateway’s own addresses; take another', isKey: true })
  }
  if (id.toLowerCase().startsWith('local.')) {
    problems.push({
      path: [],
      message: 'names with local. are for the program’s own commands; take another',
      isKey: true,
    })
  }
  const project = endpoint['project']
  if (typeof project === 'string' && project !== DEFAULT_PROJECT && !projects.has(project)) {
    problems.push({ path: ['project'], message: unknownName('project', project, projects.keys()) })
  }
  const host = asObject(top['listen'])['host'] ?? '127.0.0.1'
  if (endpoint['auth'] === 'none' && !(typeof host === 'string' && LOOPBACK.test(host))) {
    problems.push({ path: ['auth'], message: 'none is possible only while listen.host is 127.0.0.1 or ::1' })
  }
  return problems
}

function transparentRules(endpoint: RawObject, { projects, servers }: RawConfig): ConfigProblem[] {
  if (endpoint['transparent'] !== true) return []
  const id = typeof endpoint['project'] === 'string' ? endpoint['project'] : DEFAULT_PROJECT
  const listed = projects.get(id)?.['servers']
  const taken = [...projects].flatMap(([other, project]) => (other === id ? [] : texts(project['servers'])))
  const elsewhere = new Set(taken.map(({ text }) => text))
  const count =
    listed === undefined ? [...servers.keys()].filter((each) => !elsewhere.has(each)).length : texts(listed).length
  if (count === 1) return []
  return [
    { path: ['transparent'], message: `needs a project of exactly one server; ${JSON.stringify(id)} has ${count}` },
  ]
}
