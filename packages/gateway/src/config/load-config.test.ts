import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Environment } from './environment.ts'
import { configFrom, findConfigFile, loadConfig, modelOf } from './load-config.ts'

let folder: string
let environment: Environment
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tooldex-config-'))
  mkdirSync(join(folder, 'home', '.tooldex'), { recursive: true })
  mkdirSync(join(folder, 'here'))
  environment = { variables: { KEY: 'k' }, cwd: join(folder, 'here'), home: join(folder, 'home') }
})
afterEach(() => rmSync(folder, { recursive: true }))
const write = (...path: string[]) => {
  const file = join(folder, ...path)
  writeFileSync(file, '{"mcpServers":{"a":{"command":"x","env":{"K":"${KEY}"}}},"dataDir":"data"}')
  return file
}

describe('findConfigFile', () => {
  it('prefers the given file, then the working directory, then the home folder', async () => {
    const home = write('home', '.tooldex', 'tooldex.json')
    expect(await findConfigFile(undefined, environment)).toBe(home)
    const here = write('here', 'tooldex.json')
    expect(await findConfigFile(undefined, environment)).toBe(here)
    const given = write('here', 'other.json')
    expect(await findConfigFile('other.json', environment)).toBe(given)
  })

  it('finds none by default, and refuses a given file that does not exist', async () => {
    expect(await findConfigFile(undefined, environment)).toBeUndefined()
    await expect(findConfigFile('nope.json', environment)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/here.nope\.json does not exist/),
    })
  })
})

describe('loadConfig', () => {
  it('resolves paths and substitutes variables', async () => {
    const loaded = await loadConfig(write('here', 'tooldex.json'), environment)
    const [{ config }, { model }] = [loaded, modelOf(loaded)]
    expect(config).toMatchObject({ dataDir: join(folder, 'here', 'data'), listen: { port: 7420 }, logLevel: 'info' })
    expect(model.servers[0]?.transport).toMatchObject({ env: { K: 'k' } })
  })

  it('prefers the command line', async () => {
    const overrides = { host: '::1', port: 0, dataDir: '~/elsewhere' }
    const { config } = await loadConfig(write('here', 'tooldex.json'), environment, overrides)
    expect(config).toMatchObject({ dataDir: join(folder, 'home', 'elsewhere'), listen: { host: '::1', port: 0 } })
  })

  it('needs no file, and reads the database from flag, environment or file, in this order', async () => {
    const { config } = await loadConfig(undefined, environment)
    expect(config).toMatchObject({ dataDir: join(folder, 'home', '.tooldex'), audit: { keepDays: 90 } })
    expect(config).not.toHaveProperty('database')
    const variables = { TOOLDEX_DATABASE_URL: 'postgres://variable/x' }
    const of = (value: object, database?: string) =>
      configFrom(value, { ...environment, variables }, database === undefined ? {} : { database }).config.database
    expect(of({})).toBe('postgres://variable/x')
    expect(of({ database: 'postgres://file/x' })).toBe('postgres://variable/x')
    expect(of({ database: 'postgres://file/x' }, 'postgres://flag/x')).toBe('postgres://flag/x')
    expect(configFrom({ database: 'postgres://file/x' }, environment).config.database).toBe('postgres://file/x')
    expect(() => configFrom({ database: 'mysql://x' }, environment)).toThrow(/one problem/)
    expect(() => of({}, 'mysql://x')).toThrow(/one problem/)
  })

  it('names a file that cannot be read', async () => {
    await expect(loadConfig(join(folder, 'here'), environment)).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
    await expect(loadConfig(join(folder, 'gone'), environment)).rejects.toThrow(/gone cannot be read \(ENOENT\)/)
  })
})

describe('configFrom', () => {
  it('[R40] does not let a flag open an endpoint without tokens to the network', () => {
    const value = { endpoints: { default: { auth: 'none' } } }
    expect(modelOf(configFrom(value, environment)).model.endpoints.get('default')?.auth).toBe('none')
    expect(() => modelOf(configFrom(value, environment, { host: '0.0.0.0' }))).toThrow(/one problem/)
  })
})
