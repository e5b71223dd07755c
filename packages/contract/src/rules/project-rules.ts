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
  const { projects, known } = raw
  return [
    ...sameNames(raw),
    ...[...projects].flatMap(([id, project]) => [
      ...idRules(id, project),
      ...badReferences(project['servers'], ['projects', id, 'servers'], 'server', known.servers),
      ...toolRules(id, project, raw),
      ...givenNameRules(id, project),
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

/** Names of the gateway's own tools in all dialects. */
export const OWN_TOOL_NAMES: readonly string[] = [
  'tool_discovery',
  'search_available_tools',
  'metamcp_search_tools',
  'tool_execute',
  'tool_execute_read',
  'tooldex__read_result',
]

/** Names that a project gives to tools are unique in it, also for clients that ignore case. */
function givenNameRules(id: string, project: RawObject): ConfigProblem[] {
  const owners = new Map<string, string>(OWN_TOOL_NAMES.map((name) => [name, 'the gateway itself']))
  return Object.entries(asObject(project['tools'])).flatMap(([key, tool]) => {
    const { name } = asObject(tool)
    if (typeof name !== 'string') return []
    const owner = owners.get(name.toLowerCase())
    owners.set(name.toLowerCase(), owner ?? quote(key))
    if (owner === undefined) return []
    return [{ path: ['projects', id, 'tools', key, 'name'], message: `${quote(name)} is the name of ${owner} already` }]
  })
}

function toolRules(id: string, project: RawObject, { known: { servers } }: RawConfig): ConfigProblem[] {
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

function sameNames({ projects, known }: RawConfig): ConfigProblem[] {
  const owners = new Map<string, string>()
  const note = (id: string, name: string): string | undefined => {
    const owner = owners.get(name.toLowerCase())
    owners.set(name.toLowerCase(), owner ?? id)
    return owner
  }
  for (const [id, project] of known.projects) if (!projects.has(id)) note(id, shownName(id, project))
  return [...projects].flatMap(([id, project]) => {
    const name = shownName(id, project)
    const owner = note(id, name)
    if (owner === undefined) return []
    const path = ['projects', id, ...(typeof project['name'] === 'string' ? ['name'] : [])]
    return [{ path, message: `the project ${quote(owner)} is already called ${quote(name)}` }]
  })
}

function shownName(id: string, { name }: RawObject): string {
  return (typeof name === 'string' ? name : id).trim()
}

/** First path segments that the gateway uses or reserves. */
const RESERVED = new Set([
  ...['mcp', 'sse', 'message', 'messages', 'healthz', 'readyz', 'metrics'],
  ...['admin', 'api', 'assets', 'catalog', 'console', 'endpoints', 'oauth'],
])
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/i

/** Endpoints serve existing projects at free addresses, and need a token unless only this machine can connect. */
export function endpointRules(raw: RawConfig): ConfigProblem[] {
  const serversOf = serverCounts(raw)
  return [...raw.endpoints].flatMap(([id, endpoint]) =>
    [...ownRules(id, endpoint, raw), ...transparentRules(endpoint, serversOf), ...repeatedSettings(endpoint, [])].map(
      (problem) => ({
        ...problem,
        path: ['endpoints', id, ...problem.path],
      }),
    ),
  )
}

/** Counts the servers of a project. The default project has those of no other, which are counted once. */
function serverCounts({ known: { projects, servers } }: RawConfig): (projectId: string) => number {
  let unassigned: number | undefined
  return (id) => {
    const listed = projects.get(id)?.['servers']
    if (listed !== undefined) return texts(listed).length
    if (unassigned !== undefined) return unassigned
    const elsewhere = new Set<string>()
    for (const [other, project] of projects) {
      if (other !== id) for (const { text } of texts(project['servers'])) elsewhere.add(text)
    }
    unassigned = [...servers.keys()].filter((each) => !elsewhere.has(each)).length
    return unassigned
  }
}

function ownRules(id: string, endpoint: RawObject, { top, known: { projects } }: RawConfig): ConfigProblem[] {
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

function transparentRules(endpoint: RawObject, serversOf: (projectId: string) => number): ConfigProblem[] {
  if (endpoint['transparent'] !== true) return []
  const id = typeof endpoint['project'] === 'string' ? endpoint['project'] : DEFAULT_PROJECT
  const count = serversOf(id)
  if (count === 1) return []
  return [
    { path: ['transparent'], message: `needs a project of exactly one server; ${JSON.stringify(id)} has ${count}` },
  ]
}
