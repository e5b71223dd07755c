import type { ConfigProblem } from '../config-problem.ts'
import { nearest } from '../nearest.ts'
import { asObject, type RawConfig, type RawObject } from './raw-config.ts'

const ONLY_OF_PROGRAMS = ['args', 'env', 'envFile', 'cwd']
const ADDRESS = /^https?:\/\//i
const OVER_HTTP = ['http', 'streamable-http', 'sse']

/** A server is a program or an address, and its keys are consistent. */
export function serverRules({ top, serversKey, servers }: RawConfig): ConfigProblem[] {
  const both = top['mcpServers'] !== undefined && top['servers'] !== undefined
  return [
    ...(both ? [{ path: ['servers'], message: 'means the same as mcpServers; keep one of them', isKey: true }] : []),
    ...[...servers].flatMap(([id, server]) =>
      rulesOfOne(server).map((problem) => ({ ...problem, path: [serversKey, id, ...problem.path] })),
    ),
  ]
}

function rulesOfOne(server: RawObject): ConfigProblem[] {
  return [...transportRules(server), ...authRules(server), ...switchRules(server), ...limitRules(server)]
}

function transportRules(server: RawObject): ConfigProblem[] {
  const [hasCommand, hasUrl] = [server['command'] !== undefined, server['url'] !== undefined]
  if (hasCommand && hasUrl) return [{ path: [], message: 'has both command and url; a server is one of them' }]
  if (!hasCommand && !hasUrl) {
    // A misspelt one is reported as an unknown key; a second problem for the missing one would confuse.
    const isMisspelt = Object.keys(server).some((key) => nearest(key, ['command', 'url']) !== undefined)
    return isMisspelt ? [] : [{ path: [], message: 'needs a command to start or a url to connect to' }]
  }
  const type = server['type']
  const problems = (hasUrl ? ONLY_OF_PROGRAMS : ['headers', 'auth'])
    .filter((key) => server[key] !== undefined)
    .map((key) => ({ path: [key], message: `does not go with ${hasUrl ? 'url' : 'command'}`, isKey: true }))
  const { command, instances } = server
  // As a command it would be shown and stored with its passwords and keys.
  if (typeof command === 'string' && ADDRESS.test(command)) {
    problems.push({ path: ['command'], message: 'is an address, not a program; write it as url', isKey: false })
  }
  if (hasUrl && instances !== undefined && instances !== 'auto') {
    const message = 'is for programs: behind a url each client has a session of its own'
    problems.push({ path: ['instances'], message, isKey: true })
  }
  if (hasUrl && server['placement'] === 'one') {
    problems.push({ path: ['placement'], message: 'is for programs: a url is one server already', isKey: true })
  }
  if (hasUrl && type === 'stdio') problems.push({ path: ['type'], message: 'stdio needs a command', isKey: false })
  if (hasCommand && typeof type === 'string' && OVER_HTTP.includes(type)) {
    problems.push({ path: ['type'], message: `${type} needs a url`, isKey: false })
  }
  return problems
}

function authRules(server: RawObject): ConfigProblem[] {
  const auth = asObject(server['auth'])
  if (auth['type'] !== 'client-credentials') return []
  return ['clientId', 'clientSecret']
    .filter((key) => auth[key] === undefined)
    .map((key) => ({ path: ['auth'], message: `client-credentials needs ${key}` }))
}

function switchRules({ enabled, disabled }: RawObject): ConfigProblem[] {
  const contradict = typeof enabled === 'boolean' && enabled === disabled
  return contradict ? [{ path: ['disabled'], message: 'contradicts enabled; keep one of them' }] : []
}

function limitRules(server: RawObject): ConfigProblem[] {
  const { callTimeoutMs, maxCallTimeoutMs } = asObject(server['limits'])
  const [usual, most] = [callTimeoutMs ?? 60_000, maxCallTimeoutMs ?? 600_000]
  if (typeof usual !== 'number' || typeof most !== 'number' || usual <= most) return []
  const key = maxCallTimeoutMs === undefined ? 'callTimeoutMs' : 'maxCallTimeoutMs'
  return [{ path: ['limits', key], message: `callTimeoutMs (${usual}) must not exceed maxCallTimeoutMs (${most})` }]
}
