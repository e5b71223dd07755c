import { checkConfig } from '@tooldex/contract'
import { describe, expect, it } from 'vitest'
import { hashToken } from '../access/tokens.ts'
import { toModel } from './to-model.ts'

function modelOf(value: unknown) {
  const { config, problems } = checkConfig(value)
  expect(problems).toEqual([])
  if (config === undefined) throw new Error('not valid')
  return toModel(config)
}
const mcpServers = {
  a: { command: 'a' },
  b: { url: 'http://h/sse', type: 'sse', headers: { X: 'y' } },
  c: { command: 'c' },
}

describe('toModel', () => {
  it('makes definitions in configured order, for every transport', () => {
    const { servers } = modelOf({
      mcpServers: { ...mcpServers, d: { url: 'http://h/mcp', disabled: true, name: 'Dee' } },
    })
    expect(servers.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd'])
    expect(servers[0]).toMatchObject({
      name: 'a',
      enabled: true,
      transport: { kind: 'stdio', command: 'a', args: [], env: {} },
    })
    expect(servers[1]).toMatchObject({ transport: { kind: 'sse', url: 'http://h/sse', headers: { X: 'y' } } })
    expect(servers[3]).toMatchObject({ name: 'Dee', enabled: false, transport: { kind: 'http' } })
  })

  it('always has the default endpoint, and the default project with the servers of no other project', () => {
    const model = modelOf({ mcpServers, projects: { p: { servers: ['b'] } } })
    expect(model.projects.get('default')).toMatchObject({ serverIds: ['a', 'c'] })
    expect(model.endpoints.get('default')).toEqual({
      id: 'default',
      projectId: 'default',
      disclosure: {},
      auth: 'token',
      transparent: false,
    })
    expect(modelOf({}).projects.get('default')?.serverIds).toEqual([])
  })

  it('applies the configuration of the default project and endpoint', () => {
    const model = modelOf({
      mcpServers,
      projects: { default: { name: 'Mine', exposure: 'full' } },
      endpoints: { default: { auth: 'none', dropPrefix: true } },
    })
    expect(model.projects.get('default')).toMatchObject({
      name: 'Mine',
      serverIds: ['a', 'b', 'c'],
      disclosure: { exposure: 'full' },
    })
    expect(model.endpoints.get('default')).toMatchObject({ auth: 'none', disclosure: { dropPrefix: true } })
    expect(
      modelOf({ mcpServers, projects: { default: { servers: ['c'] } } }).projects.get('default')?.serverIds,
    ).toEqual(['c'])
  })

  it('[M1] translates the settings of other gateways; absent means inherit', () => {
    const model = modelOf({
      mcpServers,
      projects: {
        meta: {
          servers: ['a'],
          default_search_method: 'BM25',
          default_tool_visibility: 'SEARCH_ONLY',
          tools: { 'a:x': { defer_loading: 'DISABLED' }, 'a:y': { defer_loading: 'INHERIT', pinned: true } },
        },
        router: { servers: ['b'], optimization: null },
        mixed: { servers: ['c'], maxToolsLimit: 7, dialect: 'router' },
      },
      endpoints: { e: { project: 'meta', override_defer_loading: 'ENABLED', override_tool_visibility: null } },
    })
    expect(model.projects.get('meta')?.disclosure).toMatchObject({
      dialect: 'metamcp',
      strategy: 'bm25',
      exposure: 'search-only',
    })
    expect([...(model.projects.get('meta')?.tools ?? [])]).toEqual([
      ['a:x', { deferLoading: false }],
      ['a:y', { pinned: true }],
    ])
    expect(model.projects.get('router')?.disclosure).toEqual({ strategy: null })
    expect(model.projects.get('mixed')?.disclosure).toMatchObject({
      maxTools: 7,
      exposure: 'limited',
      dialect: 'router',
    })
    expect(model.endpoints.get('e')?.disclosure).toEqual({ deferLoading: true })
  })

  it('[R44] keeps tokens by their hash and never the secret', () => {
    const secret = 'a secret of the environment'
    const model = modelOf({
      mcpServers,
      tokens: [
        { name: 'one', value: secret, servers: ['a'], projects: ['default'], expires: '2027-01-31' },
        { name: 'two', sha256: 'AB'.repeat(32), readOnly: true },
      ],
    })
    expect(model.tokens.get(hashToken(secret))).toEqual({
      tokenId: 'one',
      name: 'one',
      projects: new Set(['default']),
      servers: new Set(['a']),
      readOnly: false,
      expiresAt: Date.UTC(2027, 0, 31),
    })
    expect(model.tokens.get('ab'.repeat(32))).toEqual({ tokenId: 'two', name: 'two', readOnly: true })
    expect(JSON.stringify([...model.tokens])).not.toContain(secret)
  })

  it('finds no permissions on the prototype', () => {
    const model = modelOf({ mcpServers: { a: { command: 'a', toolPermissions: { rm: false } } } })
    expect(model.serverTools.get('a')?.['rm']).toBe(false)
    expect(model.serverTools.get('a')?.['constructor']).toBeUndefined()
  })

  it('is frozen', () => {
    const model = modelOf({ mcpServers })
    expect(Object.isFrozen(model)).toBe(true)
    expect(Object.isFrozen(model.servers[0]?.limits)).toBe(true)
    expect(Object.isFrozen(model.projects.get('default')?.serverIds)).toBe(true)
  })
})
