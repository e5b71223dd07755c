import { afterEach, describe, expect, it } from 'vitest'
import { type FakeRegistry, listedEntry, useRegistries, WEATHER } from '../../../setup/registry/fake-registry.case.ts'
import { type AdminKit, adminKit } from '../../admin-kit.case.ts'

const startRegistry = useRegistries()
let kit: AdminKit
afterEach(() => kit.stop())

async function open(entries?: readonly object[]): Promise<FakeRegistry> {
  const registry = await startRegistry(entries)
  kit = await adminKit({ file: { registries: [{ url: registry.url }] } })
  return registry
}

describe('the registry in the admin API', () => {
  it('[U7] finds a server and adds it as it was shown', async () => {
    const registry = await open()
    const { items, registries } = await kit.ask('searchRegistry', { query: { search: 'weather' } })
    expect(registries).toMatchObject([{ url: registry.url, isCached: false, skipped: 0 }])
    expect(items).toMatchObject([{ name: 'io.github.ada/weather', suggestedId: 'weather', ways: [{ kind: 'npm' }] }])
    const body = { name: 'io.github.ada/weather', way: items[0]?.ways[0]?.id, values: { WEATHER_API_KEY: 's3cret' } }
    const added = await kit.ask('addFromRegistry', { body })
    expect(added).toMatchObject({ server: { id: 'weather', enabled: true, transport: 'stdio' }, missing: [] })
    expect(JSON.stringify(added)).not.toContain('s3cret')
    expect(kit.models.current().servers).toMatchObject([
      {
        id: 'weather',
        enabled: true,
        transport: {
          command: 'npx',
          args: ['-y', '@ada/weather-mcp@1.4.2'],
          env: { WEATHER_API_KEY: 's3cret', UNITS: 'metric' },
        },
      },
    ])
    expect((await kit.ask('searchRegistry', { query: { search: 'weather' } })).items[0]?.suggestedId).toBe('weather-2')
  })

  it('[U7] keeps a server without its required value switched off', async () => {
    await open()
    const added = await kit.ask('addFromRegistry', { body: { name: 'io.github.ada/weather' } })
    expect(added.missing).toEqual(['WEATHER_API_KEY'])
    expect(kit.models.current().servers).toMatchObject([{ enabled: false, missingValues: ['WEATHER_API_KEY'] }])
    await kit.ask('changeServer', { params: { server: 'weather' }, body: { inputs: { WEATHER_API_KEY: 'x' } } })
    expect(kit.models.current().servers).toMatchObject([{ enabled: true }])
  })

  it('tests a server with the entered values, names those that are missing, and stores nothing', async () => {
    await open()
    const name = 'io.github.ada/weather'
    expect(await kit.ask('testFromRegistry', { body: { name } })).toMatchObject({
      ok: false,
      problem: { message: expect.stringContaining('WEATHER_API_KEY') },
    })
    const wrong = { name, values: { WEATHER_API_KEY: 'x', UNITS: 'kelvin' } }
    expect(await kit.problem('testFromRegistry', { body: wrong })).toMatchObject({
      problems: [{ path: 'values.UNITS' }],
    })
    const body = { name, values: { WEATHER_API_KEY: 'x' } }
    expect(await kit.ask('testFromRegistry', { body })).toMatchObject({ ok: true, name: 'fake' })
    expect(kit.models.current().servers).toEqual([])
  })

  it('refuses an entry that the registry changed after it was shown', async () => {
    const registry = await open()
    const { items } = await kit.ask('searchRegistry', { query: { search: 'io.github.ada/weather' } })
    const evil = { registryType: 'npm', identifier: 'evil', version: '1.0.0' }
    registry.entries = [listedEntry({ name: 'io.github.ada/weather', packages: [evil] })]
    kit.clock.now += 3_600_000
    const body = { name: 'io.github.ada/weather', way: items[0]?.ways[0]?.id }
    const problem = await kit.problem('addFromRegistry', { body })
    expect(problem).toMatchObject({
      code: 'REVISION_CONFLICT',
      detail: expect.stringContaining('has changed its entry'),
    })
    expect(kit.models.current().servers).toEqual([])
  })

  it.each([
    [{ name: 'io.github.ada/weather', id: 'taken' }, 'NAME_TAKEN', 'already has this name'],
    [{ name: 'io.github.ada/other' }, 'SERVER_NOT_FOUND', 'no registry lists'],
    [{ name: 'io.github.ada/weather', registry: 'https://elsewhere.example' }, 'SERVER_NOT_FOUND', 'no registry lists'],
    [{ name: 'io.github.ada/weather', values: { NOPE: 'x' } }, 'REQUEST_INVALID', 'values.NOPE is not an input'],
    [{ name: 'x.y/none' }, 'REQUEST_INVALID', 'the registry names no package and no address'],
    [{ name: '' }, 'REQUEST_INVALID', 'name'],
  ])('answers %j with %s', async (body, code, detail) => {
    await open([WEATHER, listedEntry({ name: 'x.y/none' })])
    await kit.ask('createServer', { body: { id: 'taken', command: 'x' } })
    const problem = await kit.problem('addFromRegistry', { body })
    expect(problem).toMatchObject({ code, detail: expect.stringContaining(detail) })
  })

  it('says that the registry cannot be reached', async () => {
    const registry = await open()
    registry.mood = 'fails'
    const problem = await kit.problem('addFromRegistry', { body: { name: 'io.github.ada/weather' } })
    expect(problem).toMatchObject({ code: 'REGISTRY_UNAVAILABLE', status: 503 })
    const { items, registries } = await kit.ask('searchRegistry', { query: { search: 'weather' } })
    expect([items, registries]).toMatchObject([[], [{ problem: 'answered with status 503' }]])
  })
})
