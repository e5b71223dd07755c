import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { settingVariables } from '@tooldex/contract'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { GatewayError } from '../errors.ts'
import { withFiles } from './environment.ts'
import { unknownVariables } from './environment-settings.ts'
import { configFrom, loadConfig, modelOf } from './load-config.ts'

const environmentOf = (variables: Readonly<Record<string, string>>) => ({ variables, cwd: '/here', home: '/here' })
const configOf = (variables: Readonly<Record<string, string>>, value: object = {}) =>
  configFrom(value, environmentOf(variables)).config
const problemsOf = (variables: Readonly<Record<string, string>>, value: object = {}): readonly string[] => {
  try {
    modelOf(configFrom(value, environmentOf(variables)))
    return []
  } catch (error) {
    return (error as GatewayError).details['problems'] as string[]
  }
}

describe('settings of the environment', () => {
  it('have precedence over the file, value by value, and leave its other values alone', () => {
    const value = { listen: { host: '::1', port: 1, allowedHosts: ['a'] }, logLevel: 'warn', drainMs: 5 }
    const variables = { TOOLDEX_LISTEN_PORT: '81', TOOLDEX_LISTEN_ALLOWED_HOSTS: 'b, c', TOOLDEX_LOG_LEVEL: 'debug' }
    expect(configOf(variables, value)).toMatchObject({
      listen: { host: '::1', port: 81, allowedHosts: ['b', 'c'] },
      logLevel: 'debug',
      drainMs: 5,
    })
    expect(configFrom(value, environmentOf(variables), { port: 82 }).config.listen.port).toBe(82)
    expect(configOf({ TOOLDEX_LISTEN_PORT: ' ' }, value).listen.port).toBe(1)
  })

  it('have the form of their setting', () => {
    const { auth, audit, searchApi, database, listen } = configOf({
      TOOLDEX_AUTH_ISSUER: 'https://login.example.org',
      TOOLDEX_AUTH_AUDIENCE: 'https://tools.example.org',
      TOOLDEX_AUDIT_QUERIES: 'false',
      TOOLDEX_AUDIT_FILE: 'audit.jsonl',
      TOOLDEX_SEARCH_API_URL: 'http://127.0.0.1:1',
      TOOLDEX_SEARCH_API_TOKEN: 'secret',
      TOOLDEX_DATABASE: 'postgres://systematic/x',
      TOOLDEX_DATABASE_URL: 'postgres://other/x',
      TOOLDEX_LISTEN_ALLOWED_HOSTS: '["x","y"]',
    })
    expect(auth).toMatchObject({ issuer: 'https://login.example.org' })
    expect(audit).toMatchObject({ queries: false, file: '/here/audit.jsonl' })
    expect(searchApi).toMatchObject({ url: 'http://127.0.0.1:1', token: 'secret' })
    expect(listen.allowedHosts).toEqual(['x', 'y'])
    expect(database).toBe('postgres://systematic/x')
  })

  it('can be servers, projects and tokens, with references', () => {
    const variables = {
      TOOLDEX_MCP_SERVERS: '{"gh":{"url":"http://127.0.0.1:1/mcp","headers":{"Authorization":"Bearer ${KEY}"}}}',
      TOOLDEX_PROJECTS: '{"work":{"servers":["gh"]}}',
      KEY: 'of-github',
    }
    const { model } = modelOf(configFrom({ mcpServers: { other: { command: 'x' } } }, environmentOf(variables)))
    expect(model.servers.map(({ id }) => id)).toEqual(['gh'])
    expect(JSON.stringify(model.servers[0])).toContain('Bearer of-github')
    expect([...model.projects.keys()]).toContain('work')
  })

  it('are named by their problems, and their values are not', () => {
    expect(
      problemsOf({
        TOOLDEX_LISTEN_PORT: 'secret1',
        TOOLDEX_LEARNING: 'secret2',
        TOOLDEX_LOG_LEVEL: 'secret3',
        TOOLDEX_MCP_SERVERS: '{"secret4',
        TOOLDEX_PROJECTS: '{"p":{"servers":[],"exposures":"full"}}',
        TOOLDEX_TOKENS: '[{"name":"a","value":"${MISSING}"}]',
      }),
    ).toEqual([
      expect.stringMatching(/^TOOLDEX_MCP_SERVERS: is not valid JSON$/),
      expect.stringMatching(/^TOOLDEX_TOKENS: \[0\]\.value: .*MISSING/),
      expect.stringMatching(/^TOOLDEX_PROJECTS: p\.exposures: unknown key; did you mean exposure\?$/),
      expect.stringMatching(/^TOOLDEX_LISTEN_PORT: must be a (whole )?number$/),
      expect.stringMatching(/^TOOLDEX_LOG_LEVEL: must be one of debug/),
      expect.stringMatching(/^TOOLDEX_LEARNING: must be true or false$/),
    ])
  })

  it('that the Search API command shares do nothing where the gateway has no use for them', () => {
    const variables = { TOOLDEX_SEARCH_API_TOKEN: 'a secret of sixteen', TOOLDEX_EMBEDDINGS_API_KEY: 'key' }
    expect(problemsOf(variables)).toEqual([])
    const embeddings = { provider: 'http', url: 'http://127.0.0.1:1/v1', model: 'm' }
    expect(configOf(variables, { embeddings }).embeddings).toMatchObject({ apiKey: 'key' })
  })

  it('never throw anything but problems, whatever their texts are', () => {
    const names = settingVariables().map(({ name }) => name)
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), fc.string({ unit: 'binary' })), (variables) => {
        for (const problem of problemsOf(variables)) expect(problem).toMatch(/^[\w.]/)
      }),
      { numRuns: 30 },
    )
  })
})

describe('unknownVariables', () => {
  it('names each that sets nothing, with the nearest name', () => {
    const variables = {
      TOOLDEX_LISTEN_PROT: '1',
      TOOLDEX_SECRET_KEY: 'k',
      TOOLDEX_LISTEN_HOST: 'h',
      TOOLDEX_ELSEWHERE_ALTOGETHER: 'x',
      TOOLDEX_LAPTOP_TOKEN: 't',
      TOOLDEX_EMPTY: '',
      PATH: '/bin',
    }
    expect(unknownVariables(variables, '{"tokens":[{"value":"${TOOLDEX_LAPTOP_TOKEN}"}]}')).toEqual([
      'the environment variable TOOLDEX_LISTEN_PROT sets nothing; did you mean TOOLDEX_LISTEN_PORT?',
      'the environment variable TOOLDEX_ELSEWHERE_ALTOGETHER sets nothing',
    ])
  })

  it('are remarks of a loaded configuration', async () => {
    const { remarks } = await loadConfig(undefined, environmentOf({ TOOLDEX_DRAINMS: '1' }))
    expect(remarks).toEqual(['the environment variable TOOLDEX_DRAINMS sets nothing; did you mean TOOLDEX_DRAIN_MS?'])
  })
})

describe('withFiles', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tooldex-secrets-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('reads the values of variables from files, and leaves others alone', () => {
    const path = join(folder, 'key')
    writeFileSync(path, ' the key \n')
    const given = {
      TOOLDEX_SECRET_KEY_FILE: path,
      TOOLDEX_AUDIT_FILE: 'a.jsonl',
      OTHER_FILE: path,
      TOOLDEX_DATABASE_FILE: '',
    }
    expect(withFiles(given)).toEqual({
      TOOLDEX_SECRET_KEY: 'the key',
      TOOLDEX_AUDIT_FILE: 'a.jsonl',
      OTHER_FILE: path,
      TOOLDEX_DATABASE_FILE: '',
    })
  })

  it('refuses a file that cannot be read, and a value that is given twice', () => {
    expect(() => withFiles({ TOOLDEX_DATABASE_FILE: join(folder, 'gone') })).toThrow(
      /gone of TOOLDEX_DATABASE_FILE cannot be read \(ENOENT\)/,
    )
    writeFileSync(join(folder, 'large'), 'x'.repeat(1024 * 1024 + 1))
    expect(() => withFiles({ TOOLDEX_DATABASE_FILE: join(folder, 'large') })).toThrow(/EFBIG/)
    expect(() => withFiles({ TOOLDEX_DATABASE_FILE: folder, TOOLDEX_DATABASE: 'x' })).toThrow(/are both set/)
  })
})
