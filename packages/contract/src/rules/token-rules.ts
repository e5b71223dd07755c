import type { ConfigProblem } from '../config-problem.ts'
import { badReferences, quote, type RawConfig, type RawObject, texts, unknownName } from './raw-config.ts'

/** Tokens have one secret each, a unique name, and refer to existing projects and servers. */
export function tokenRules({ tokens, known: { servers, projects } }: RawConfig): ConfigProblem[] {
  const projectIds = new Set(['default', ...projects.keys()])
  return [
    ...sharedBy(tokens, 'name', (name) => `another token is called ${quote(name)}`),
    ...sharedBy(tokens, 'sha256', () => 'another token has the same secret'),
    ...sharedBy(tokens, 'value', () => 'another token has the same secret'),
    ...tokens.flatMap((token, index) => [
      ...nameRules(token, index),
      ...secretRules(token, index),
      ...badReferences(token['projects'], ['tokens', index, 'projects'], 'project', projectIds),
      ...badReferences(token['servers'], ['tokens', index, 'servers'], 'server', servers),
      ...unknownToolServers(token['tools'], index, servers),
    ]),
  ]
}

/** A tool may come and go, its server must exist. */
function unknownToolServers(tools: unknown, at: number, servers: RawConfig['known']['servers']): ConfigProblem[] {
  return texts(tools).flatMap(({ index, text }) => {
    const serverId = text.slice(0, Math.max(0, text.indexOf(':')))
    if (serverId === '' || servers.has(serverId)) return []
    return [{ path: ['tokens', at, 'tools', index], message: unknownName('server', serverId, servers.keys()) }]
  })
}

/** Names in audit entries and sessions that do not belong to tokens of the configuration. */
const RESERVED_NAMES: ReadonlyMap<string, string> = new Map([
  ['local', 'the program’s own commands'],
  ['anonymous', 'clients without a token'],
])

function nameRules({ name }: RawObject, index: number): ConfigProblem[] {
  const owner = typeof name === 'string' ? RESERVED_NAMES.get(name.trim().toLowerCase()) : undefined
  if (owner === undefined) return []
  return [{ path: ['tokens', index, 'name'], message: `the name is for ${owner}; take another` }]
}

function secretRules({ sha256, value }: RawObject, index: number): ConfigProblem[] {
  if (sha256 !== undefined && value !== undefined) {
    return [{ path: ['tokens', index], message: 'has both sha256 and value; keep one of them' }]
  }
  if (sha256 !== undefined || value !== undefined) return []
  return [{ path: ['tokens', index], message: 'needs sha256 (`tooldex token create --print-only` prints it) or value' }]
}

function sharedBy(tokens: readonly RawObject[], key: string, message: (value: string) => string): ConfigProblem[] {
  const seen = new Set<string>()
  return tokens.flatMap((token, index) => {
    const value = token[key]
    if (typeof value !== 'string') return []
    const plain = value.trim().toLowerCase()
    const isSecond = seen.has(plain)
    seen.add(plain)
    return isSecond ? [{ path: ['tokens', index, key], message: message(value) }] : []
  })
}
