import { createHash } from 'node:crypto'
import { checkConfig, type EndpointConfig, type ProjectConfig, type ServerConfig } from '@tooldex/contract'
import fc from 'fast-check'
import type { StoredEndpoint, StoredProject, StoredServer, StoredToken } from '../model/stored-state.ts'

const TIMES = { createdAt: 1, updatedAt: 2 }

const checked = checkConfig({ mcpServers: { s: { command: 'true' } }, endpoints: { e: {} } }).config
const plainServer = checked?.mcpServers?.['s']
const plainEndpoint = checked?.endpoints['e']
if (plainServer === undefined || plainEndpoint === undefined) throw new Error('The samples are not valid')

/** A server that runs `true`, with overrides. */
export function serverOf(id: string, config: Partial<ServerConfig> = {}): StoredServer {
  return { id, ...TIMES, config: { ...plainServer, ...config } as ServerConfig }
}

/** A project without settings, with overrides. */
export function projectOf(id: string, config: ProjectConfig = {}): StoredProject {
  return { id, ...TIMES, config }
}

/** An endpoint of the default project, with overrides. */
export function endpointOf(id: string, config: Partial<EndpointConfig> = {}): StoredEndpoint {
  return { id, ...TIMES, config: { ...plainEndpoint, ...config } as EndpointConfig }
}

/** A client token with all rights, with overrides. */
export function tokenOf(id: string, token: Partial<StoredToken> = {}): StoredToken {
  const hash = createHash('sha256').update(id).digest('hex')
  return { id, ...TIMES, name: id, kind: 'client', hash, readOnly: false, ...token }
}

const anyText = fc.string({
  unit: fc.oneof(fc.constantFrom('\0', '\u0001', '\ud800', '__proto__', "'", '"'), fc.string()),
})
const someText = anyText.filter((text) => text !== '')
const texts = fc.dictionary(someText, anyText)
const optional = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.option(value, { nil: undefined })
const defined = <Value extends object>(value: Value): Value =>
  Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as Value

const anyTool = fc
  .record({
    allowed: optional(fc.boolean()),
    deferLoading: optional(fc.boolean()),
    pinned: optional(fc.boolean()),
    description: optional(anyText),
    defer_loading: optional(fc.constantFrom('INHERIT', 'ENABLED')),
  })
  .map(defined)

/** One entry of each kind, with arbitrary texts. */
export const changeOf = fc
  .record({
    id: someText,
    env: optional(texts),
    headers: optional(texts),
    args: fc.array(anyText),
    toolPermissions: optional(fc.dictionary(anyText, fc.boolean())),
    optimization: optional(fc.constantFrom(null, 'bm25' as const)),
    servers: optional(fc.array(anyText)),
    tools: optional(fc.dictionary(someText, anyTool)),
    name: optional(someText),
    setting: fc.json().map((text) => JSON.parse(text) as unknown),
  })
  .map(({ id, env, headers, args, toolPermissions, optimization, servers, tools, name, setting }) => ({
    server: serverOf(id, defined({ env, headers, args, toolPermissions, name }) as Partial<ServerConfig>),
    project: projectOf(id, defined({ optimization, servers, tools, name }) as ProjectConfig),
    endpoint: endpointOf(id, { project: id }),
    token: tokenOf(id, defined({ name, projects: servers }) as Partial<StoredToken>),
    setting,
  }))
