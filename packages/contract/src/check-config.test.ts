import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkConfig } from './check-config.ts'
import { placeOf } from './config-problem.ts'

const problems = (value: unknown): string[] =>
  checkConfig(value).problems.map(({ path, message }) => `${placeOf(path)}: ${message}`)
const servers = { github: { command: 'github-mcp' }, files: { url: 'https://example.org/mcp' } }
const HASH = 'ab'.repeat(32)

describe('checkConfig', () => {
  it('fills in defaults', () => {
    const { config } = checkConfig({ mcpServers: servers })
    expect(config).toMatchObject({
      listen: { host: '127.0.0.1', port: 7420 },
      dataDir: '~/.tooldex',
      logLevel: 'info',
      mcpServers: { github: { start: 'eager', era: 'auto', limits: { callTimeoutMs: 60_000, maxTools: 5_000 } } },
    })
  })

  it('accepts an empty file and files of other programs', () => {
    expect(problems({})).toEqual([])
    expect(
      problems({
        servers: {
          a: { type: 'stdio', command: 'npx', args: ['-y', 'x'], env: { K: 'v' }, cwd: '/' },
          b: { type: 'streamable-http', url: 'http://127.0.0.1:1/mcp', headers: { A: 'b' }, disabled: true },
          c: { type: 'sse', url: 'http://127.0.0.1:1/sse' },
        },
      }),
    ).toEqual([])
  })

  it('checks that settings of embeddings belong together', () => {
    const service = { provider: 'http', url: 'http://127.0.0.1:11434/v1', model: 'nomic-embed-text' }
    expect(problems({ embeddings: { ...service, apiKey: 'k', dimensions: 256 } })).toEqual([])
    expect(checkConfig({}).config?.embeddings).toEqual({ provider: 'static', timeoutMs: 30_000, queryTimeoutMs: 400 })
    expect(problems({ embeddings: { provider: 'http' } })).toEqual([
      'embeddings: needs url, because provider is http',
      'embeddings: needs model, because provider is http',
    ])
    expect(problems({ embeddings: { model: 'm' } })).toEqual([
      'embeddings.model: has no effect unless provider is http',
    ])
    expect(problems({ embeddings: { provider: 'htpt' } })).toEqual(['embeddings.provider: must be one of static, http'])
    expect(problems({ embeddings: { ...service, url: 'localhost', timeoutMs: 1 } })).toEqual([
      'embeddings.url: must be an http:// or https:// address such as http://127.0.0.1:11434/v1',
      'embeddings.timeoutMs: must be at least 100',
    ])
  })

  it('[M1] accepts the settings of other gateways under their own names', () => {
    expect(
      problems({
        mcpServers: servers,
        projects: {
          a: { servers: ['github'], optimization: null },
          b: { servers: [], maxToolsLimit: 50, searchThreshold: 0.1, toolSelectionOrder: ['server_priority'] },
          c: {
            servers: ['files'],
            default_defer_loading: true,
            default_search_method: 'REGEX',
            default_tool_visibility: 'SEARCH_ONLY',
            tools: { 'files:read': { defer_loading: 'DISABLED' } },
          },
        },
        endpoints: {
          c: {
            project: 'c',
            override_defer_loading: 'INHERIT',
            override_search_method: 'NONE',
            override_tool_visibility: null,
          },
        },
      }),
    ).toEqual([])
  })

  it.each([
    [{ mcpServers: { github: { comand: 'x' } } }, 'mcpServers.github.comand: unknown key; did you mean command?'],
    [{ mcpserver: {} }, 'mcpserver: unknown key; did you mean mcpServers?'],
    [
      { projects: { a: { servers: [], expsoure: 'full' } } },
      'projects.a.expsoure: unknown key; did you mean exposure?',
    ],
    [
      { tokens: [{ name: 'a', sha256: HASH, read_only: true }] },
      'tokens[0].read_only: unknown key; did you mean readOnly?',
    ],
    [
      { listen: { zzz: 1 } },
      'listen.zzz: unknown key; known are host, port, allowedHosts, publicUrl, trustedProxies, replicaUrl, limits',
    ],
  ])('names an unknown key, its place and the nearest known one: %j', (value, expected) => {
    expect(problems(value)).toEqual([expected])
  })

  it.each([
    [
      { mcpServers: { 'a:b': { command: 'x' } } },
      'mcpServers["a:b"]: the name must have 1 to 128 characters and no colon',
    ],
    [
      { mcpServers: { Tooldex: { command: 'x' } } },
      'mcpServers.Tooldex: the name is the gateway’s own: choose another id',
    ],
    [{ mcpServers: { a: {} } }, 'mcpServers.a: needs a command to start or a url to connect to'],
    [
      { mcpServers: { a: { command: 'https://u:pw@a.example/mcp?key=k' } } },
      'mcpServers.a.command: is an address, not a program; write it as url',
    ],
    [
      { mcpServers: { a: { command: 'x', url: 'http://h/' } } },
      'mcpServers.a: has both command and url; a server is one of them',
    ],
    [{ mcpServers: { a: { command: 'x', headers: {} } } }, 'mcpServers.a.headers: does not go with command'],
    [{ mcpServers: { a: { url: 'http://h/', type: 'stdio' } } }, 'mcpServers.a.type: stdio needs a command'],
    [
      { mcpServers: { a: { url: 'http://h/', instances: 'shared' } } },
      'mcpServers.a.instances: is for programs: behind a url each client has a session of its own',
    ],
    [
      { mcpServers: { a: { command: 'x', instances: 'many' } } },
      'mcpServers.a.instances: must be one of auto, shared, per-client',
    ],
    [{ mcpServers: { a: { url: 'file:///x' } } }, 'mcpServers.a.url: must be an http or https address'],
    [{ mcpServers: { a: { command: 'x', start: 'lazy' } } }, 'mcpServers.a.start: must be one of eager, on-demand'],
    [{ mcpServers: { a: { command: 7 } } }, 'mcpServers.a.command: must be a text'],
    [
      { mcpServers: { a: { command: 'x', enabled: true, disabled: true } } },
      'mcpServers.a.disabled: contradicts enabled; keep one of them',
    ],
    [
      { mcpServers: { a: { command: 'x', limits: { callTimeoutMs: 700_000 } } } },
      'mcpServers.a.limits.callTimeoutMs: callTimeoutMs (700000) must not exceed maxCallTimeoutMs (600000)',
    ],
    [{ mcpServers: {}, servers: {} }, 'servers: means the same as mcpServers; keep one of them'],
    [{ listen: { port: 70_000 } }, 'listen.port: must be at most 65535'],
  ])('reports the problem of a server: %j', (value, expected) => {
    expect(problems(value)).toEqual([expected])
  })

  it.each([
    [{ projects: { a: {} } }, 'projects.a: needs servers: the ids of the servers that it has'],
    [
      { projects: { a: { servers: ['githb'] } } },
      'projects.a.servers[0]: there is no server "githb"; did you mean "github"?',
    ],
    [{ projects: { a: { servers: ['github', 'github'] } } }, 'projects.a.servers[1]: "github" is listed twice'],
    [
      { projects: { a: { servers: ['github'], tools: { 'files:x': {} } } } },
      'projects.a.tools["files:x"]: the project has no server "files"',
    ],
    [
      { projects: { a: { servers: [], strategy: 'bm25', optimization: null } } },
      'projects.a.optimization: means the same as strategy; keep one of them',
    ],
    [{ projects: { __unassigned__: { servers: [] } } }, 'projects.__unassigned__: the name is reserved'],
    [{ endpoints: { x: { project: 'nope' } } }, 'endpoints.x.project: there is no project "nope"'],
    [{ endpoints: { mcp: {} } }, 'endpoints.mcp: the name is part of the gateway’s own addresses; take another'],
    [
      { endpoints: { x: { transparent: true } } },
      'endpoints.x.transparent: needs a project of exactly one server; "default" has 2',
    ],
    [{ tokens: [{ name: 'a' }] }, 'tokens[0]: needs sha256 (`tooldex token create --print-only` prints it) or value'],
    [
      { tokens: [{ name: 'a', value: 'short' }] },
      'tokens[0].value: is too short to be a secret: at least 16 characters',
    ],
    [
      { tokens: [{ name: 'a', sha256: HASH, expires: 'soon' }] },
      'tokens[0].expires: must be a date such as 2027-01-31',
    ],
    [{ tokens: [{ name: 'a', sha256: HASH, servers: ['x'] }] }, 'tokens[0].servers[0]: there is no server "x"'],
  ])('reports inconsistent parts: %j', (value, expected) => {
    expect(problems({ mcpServers: servers, ...value })).toEqual([expected])
  })

  it('[P19] accepts the tool search of MCProxy, and names other middleware and unknown keys', () => {
    const config = { maxToolsLimit: 50, searchThreshold: 0.1, toolSelectionOrder: ['server_priority', 'alphabetical'] }
    const block = { type: 'tool_search', enabled: true, config }
    const proxy = (...entries: unknown[]) => problems({ mcpServers: servers, middleware: { proxy: entries } })
    expect([proxy(), proxy(block), proxy({ type: 'tool_search' })]).toEqual([[], [], []])
    expect(problems({ middleware: {} })).toEqual([])
    expect(proxy({ ...block, type: 'description_enricher' })).toEqual([
      'middleware.proxy[0].type: there is no middleware "description_enricher"; the only one is tool_search',
    ])
    expect(proxy({ config, enabled: 'yes' })).toEqual([
      'middleware.proxy[0].type: must be a text',
      'middleware.proxy[0].enabled: must be true or false',
    ])
    expect(proxy({ ...block, enable: true })).toEqual([
      'middleware.proxy[0].enable: unknown key; did you mean enabled?',
    ])
    expect(proxy({ ...block, config: { maxToolLimit: 5 } })).toEqual([
      'middleware.proxy[0].config.maxToolLimit: unknown key; did you mean maxToolsLimit?',
    ])
    expect(proxy({ ...block, config: { maxToolsLimit: 0, searchThreshold: 2, toolSelectionOrder: ['size'] } })).toEqual(
      [
        'middleware.proxy[0].config.maxToolsLimit: must be more than 0',
        'middleware.proxy[0].config.searchThreshold: must be at most 1',
        'middleware.proxy[0].config.toolSelectionOrder[0]: must be one of server_priority, alphabetical',
      ],
    )
    expect(proxy(block, block)).toEqual(['middleware.proxy: can have one entry, the tool_search'])
    expect(problems({ middleware: { client: [] } })).toEqual(['middleware.client: unknown key; known are proxy'])
  })

  it('[R29] requires project names that are trimmed, not empty and unique, ignoring case', () => {
    const named = (...names: string[]) => ({
      projects: Object.fromEntries(names.map((name, index) => [`p${index}`, { servers: [], name }])),
    })
    expect(problems(named('  Work '))).toEqual([])
    expect(checkConfig(named('  Work ')).config?.projects['p0']?.name).toBe('Work')
    expect(problems(named('  '))).toEqual(['projects.p0.name: must not be empty'])
    expect(problems(named('Work', 'wORK '))).toEqual(['projects.p1.name: the project "p0" is already called "wORK"'])
  })

  it('[R40] allows an endpoint without tokens on the loopback interface only', () => {
    const endpoints = { open: { auth: 'none' } }
    expect(problems({ endpoints })).toEqual([])
    expect(problems({ endpoints, listen: { host: '::1' } })).toEqual([])
    expect(problems({ endpoints, listen: { host: '0.0.0.0' } })).toEqual([
      'endpoints.open.auth: none is possible only while listen.host is 127.0.0.1 or ::1',
    ])
  })

  it('reports all problems at once, of shapes and of references', () => {
    const value = {
      mcpServers: { a: { comand: 'x' }, b: {} },
      projects: { p: { servers: ['c'], exposure: 'all' } },
      tokens: [{ name: 'x' }],
      logLevel: 'loud',
    }
    expect(problems(value).map((line) => line.split(':')[0])).toEqual(
      expect.arrayContaining([
        'mcpServers.a.comand',
        'mcpServers.b',
        'projects.p.exposure',
        'projects.p.servers[0]',
        'tokens[0]',
        'logLevel',
      ]),
    )
  })

  it('never repeats a value, which may be a secret', () => {
    const secret = 'hunter2-hunter2'
    const value = {
      tokens: [{ name: 'x', value: secret }],
      mcpServers: { a: { command: 'x', env: secret, type: secret } },
    }
    expect(problems(value).join('\n')).not.toMatch(new RegExp(`: .*must.*${secret}`))
    expect(problems({ tokens: [{ name: 'x', value: secret }] }).join('\n')).not.toContain(secret)
  })

  it('returns a result for any value', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom('mcpServers', 'projects', 'endpoints', 'tokens', 'listen'),
        (value, key) => {
          expect(Array.isArray(checkConfig(value).problems)).toBe(true)
          expect(Array.isArray(checkConfig({ [key]: value }).problems)).toBe(true)
          expect(Array.isArray(checkConfig({ [key]: { a: value } }).problems)).toBe(true)
        },
      ),
    )
  })
})
