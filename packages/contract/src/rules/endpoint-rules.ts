import type { ConfigProblem } from '../config-problem.ts'
import { saidTwice } from './project-rules.ts'
import { asObject, type RawConfig, type RawObject, texts, unknownName } from './raw-config.ts'

const DEFAULT_PROJECT = 'default'
/** First segments of addresses that are or will be the gateway's own. */
const RESERVED = new Set([
  ...['mcp', 'sse', 'message', 'messages', 'healthz', 'readyz', 'metrics'],
  ...['admin', 'api', 'assets', 'catalog', 'console', 'endpoints', 'oauth'],
])
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/i

/** Endpoints serve projects that exist, at addresses that are free, and are open only to this machine. */
export function endpointRules(raw: RawConfig): ConfigProblem[] {
  return [...raw.endpoints].flatMap(([id, endpoint]) =>
    [...ownRules(id, endpoint, raw), ...transparentRules(endpoint, raw), ...saidTwice(endpoint, [])].map((problem) => ({
      ...problem,
      path: ['endpoints', id, ...problem.path],
    })),
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
