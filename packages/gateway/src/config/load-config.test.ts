import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Environment } from './environment.ts'
import { configFrom, findConfigFile, loadConfig } from './load-config.ts'

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
  it('prefers the one that is given, then the one here, then the one at home', async () => {
    const home = write('home', '.tooldex', 'tooldex.json')
    expect(await findConfigFile(undefined, environment)).toBe(home)
    const here = write('here', 'tooldex.json')
    expect(await findConfigFile(undefined, environment)).toBe(here)
    const given = write('here', 'other.json')
    expect(await findConfigFile('other.json', environment)).toBe(given)
  })

  it('says where it looked', async () => {
    await expect(findConfigFile(undefined, environment)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/no .*here.tooldex\.json and no .*home.\.tooldex.tooldex\.json.*--demo/),
    })
    await expect(findConfigFile('nope.json', environment)).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
  })
})

describe('loadConfig', () => {
  it('resolves paths and puts variables in', async () => {
    const { config, model } = await loadConfig(write('here', 'tooldex.json'), environment)
    expect(config).toMatchObject({ dataDir: join(folder, 'here', 'data'), listen: { port: 7420 }, logLevel: 'info' })
    expect(model.servers[0]?.transport).toMatchObject({ env: { K: 'k' } })
  })

  it('lets the command line win', async () => {
    const overrides = { host: '::1', port: 0, dataDir: '~/elsewhere' }
    const { config } = await loadConfig(write('here', 'tooldex.json'), environment, overrides)
    expect(config).toMatchObject({ dataDir: join(folder, 'home', 'elsewhere'), listen: { host: '::1', port: 0 } })
  })

  it('says which file cannot be read', async () => {
    await expect(loadConfig(join(folder, 'here'), environment)).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
    await expect(loadConfig(join(folder, 'gone'), environment)).rejects.toThrow(/gone cannot be read \(ENOENT\)/)
  })
})

describe('configFrom', () => {
  it('[R40] does not let a flag open an endpoint without tokens to the network', () => {
    const value = { endpoints: { default: { auth: 'none' } } }
    expect(configFrom(value, environment).config.listen.host).toBe('127.0.0.1')
    expect(() => configFrom(value, environment, { host: '0.0.0.0' })).toThrow(/one problem/)
  })
})
