import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listedEntry, useRegistries, WEATHER } from './fake-registry.case.ts'
import { Registries } from './registries.ts'

const MINUTE = 60_000
const startRegistry = useRegistries()
let folder = ''
let now = Date.parse('2026-11-01T12:00:00Z')
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tooldex-registry-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const registriesAt = (...urls: readonly string[]) =>
  new Registries({ sources: urls.map((url) => ({ url })), folder, now: () => now, timeoutMs: 500 })
const npm = (name: string, more: object = {}, official: object = {}) =>
  listedEntry({ name, packages: [{ registryType: 'npm', identifier: 'x', version: '1.0.0' }], ...more }, official)
const names = (found: Awaited<ReturnType<Registries['search']>>) => found.listed.map(({ server }) => server.name)

describe('a search in registries', () => {
  it('[U7] reads all pages and shows publisher, version, transport and inputs', async () => {
    const { url, asked } = await startRegistry([npm('a.b/weather-1'), npm('a.b/weather-2'), WEATHER])
    const found = await registriesAt(url).search('weather')
    expect(names(found)).toEqual(['io.github.ada/weather', 'a.b/weather-1', 'a.b/weather-2'])
    expect(asked).toEqual([
      '/v0.1/servers?search=weather&version=latest&limit=100',
      '/v0.1/servers?search=weather&version=latest&limit=100&cursor=from-2',
    ])
    expect(found.listed[0]?.server).toMatchObject({
      registry: url,
      title: 'Weather',
      publisher: 'io.github.ada',
      version: '1.4.2',
      status: 'active',
      repository: 'https://github.com/ada/weather',
      ways: [
        {
          kind: 'npm',
          transport: 'stdio',
          package: '@ada/weather-mcp@1.4.2',
          runs: 'npx -y @ada/weather-mcp@1.4.2',
          inputs: [
            { key: 'WEATHER_API_KEY', isRequired: true, isSecret: true, description: 'Key of the weather service' },
            { key: 'UNITS', isRequired: false, default: 'metric', choices: ['metric', 'imperial'] },
          ],
        },
      ],
    })
    expect(found.registries).toEqual([{ url, fetchedAt: now, isCached: false, isComplete: true, skipped: 0 }])
  })

  it('asks for each word, merges, and ranks servers that fit more of them first', async () => {
    const registry = await startRegistry([
      npm('a/github-mirror'),
      npm('b/tracker', { description: 'Issues' }),
      npm('c/issue-tools', { description: 'Issues of GitHub' }),
    ])
    expect(names(await registriesAt(registry.url).search('github issue'))).toEqual(['c/issue-tools', 'a/github-mirror'])
  })

  it('asks several registries, the older API version included, with headers for each alone', async () => {
    const first = await startRegistry()
    const second = await startRegistry([npm('com.corp/weather')])
    second.mood = 'only-v0'
    const sources = [{ url: `${first.url}/` }, { url: `${second.url}/v0`, headers: { authorization: 'Bearer x' } }]
    const found = await new Registries({ sources, folder, now: () => now }).search('weather')
    expect(names(found).toSorted()).toEqual(['com.corp/weather', 'io.github.ada/weather'])
    expect(second.asked.map((path) => path.split('?')[0])).toEqual(['/v0.1/servers', '/v0/servers'])
    expect([first.authorization, second.authorization]).toEqual([[undefined], ['Bearer x', 'Bearer x']])
  })

  it('lists the latest version of a server once, marks deprecated ones and leaves deleted ones out', async () => {
    const { url } = await startRegistry([
      npm('a.b/one', { version: '1.0.0' }, { isLatest: false }),
      npm('a.b/one', { version: '2.0.0' }),
      npm('a.b/one', { version: '1.5.0' }, { isLatest: false }),
      npm('a.b/old', {}, { status: 'deprecated', statusMessage: 'Use a.b/one' }),
      npm('a.b/gone', {}, { status: 'deleted' }),
    ])
    const { listed } = await registriesAt(url).search('a.b')
    expect(
      listed.map(({ server: { name, version, status, statusMessage } }) => [name, version, status, statusMessage]),
    ).toEqual([
      ['a.b/one', '2.0.0', 'active', undefined],
      ['a.b/old', '1.0.0', 'deprecated', 'Use a.b/one'],
    ])
  })
})

describe('answers of registries', () => {
  it('are used for ten minutes, and longer while the registry cannot be reached, with the time and the reason', async () => {
    const registry = await startRegistry()
    const registries = registriesAt(registry.url)
    const first = now
    await registries.search('weather')
    now += 9 * MINUTE
    expect((await registries.search('Weather')).registries).toMatchObject([{ isCached: true, fetchedAt: first }])
    expect(registry.asked).toHaveLength(1)
    await registries.search('weather', { refresh: true })
    expect(registry.asked).toHaveLength(2)
    const second = now
    registry.mood = 'fails'
    now += 24 * 60 * MINUTE
    const stale = await registries.search('weather')
    expect(names(stale)).toEqual(['io.github.ada/weather'])
    expect(stale.registries).toEqual([
      {
        ...{ url: registry.url, isCached: true, fetchedAt: second, isComplete: true, skipped: 0 },
        problem: 'answered with status 503',
      },
    ])
    now += 60 * 24 * 60 * MINUTE
    expect((await registries.search('weather')).listed).toEqual([])
  })

  it('are bounded in number, and damaged files are ignored', async () => {
    const registry = await startRegistry()
    const registries = registriesAt(registry.url)
    for (let index = 0; index < 110; index += 1) await registries.search(`w${index}`)
    expect(readdirSync(folder).length).toBeLessThanOrEqual(100)
    await registries.search('weather')
    for (const name of readdirSync(folder)) writeFileSync(join(folder, name), '{"format":1,"at":')
    expect(names(await registries.search('weather'))).toEqual(['io.github.ada/weather'])
  })

  it.each([
    ['fails', 'answered with status 503'],
    ['hangs', 'did not answer within 0.5 s'],
    ['huge', 'answered with more than 4 MB'],
    ['no-json', 'answered with something that is not JSON'],
    ['no-list', 'answered with something that is not a list of servers'],
    ['redirects', 'answered with status 302'],
  ] as const)('of a registry that %s are reported, and other registries answer', async (mood, problem) => {
    const bad = await startRegistry()
    bad.mood = mood
    const good = await startRegistry()
    const found = await registriesAt(bad.url, good.url).search('weather')
    expect(names(found)).toEqual(['io.github.ada/weather'])
    expect(found.registries).toMatchObject([{ problem, isCached: false }, { isCached: false }])
    expect(found.registries[0]?.fetchedAt).toBeUndefined()
  })

  it('end after five pages of a registry that has no end', async () => {
    const registry = await startRegistry()
    registry.mood = 'endless'
    const found = await registriesAt(registry.url).search('weather')
    expect(registry.asked).toHaveLength(5)
    expect(found.registries).toMatchObject([{ isComplete: false }])
  })

  it('report a registry that is not there', async () => {
    const { url } = await startRegistry()
    const found = await registriesAt(url.replace(/:\d+$/, ':1')).search('weather')
    expect(found.registries).toMatchObject([{ problem: expect.stringMatching(/^cannot be reached/) }])
  })

  it('are cleaned: texts lose what a reader cannot see, and entries that are no server are counted', async () => {
    const { url } = await startRegistry([
      npm('evil.x/\u202egnp', {}),
      npm('evil.x/shown', {
        title: '\u001b[2JOfficial\u202e',
        description: `a\u0007b\n\n${'long '.repeat(1_000)}`,
        websiteUrl: 'javascript:alert(1)',
        repository: { url: 'https://user:pw@github.com/x/y', source: 'github' },
      }),
      { server: null },
      { server: { name: 'evil.x/evil.x' } },
    ])
    const { listed, registries } = await registriesAt(url).search('evil.x')
    expect(registries[0]?.skipped).toBe(2)
    expect(listed).toHaveLength(1)
    const server = listed[0]?.server
    expect(server?.title).toBe('Official')
    expect(server?.description.length).toBeLessThanOrEqual(300)
    expect([server?.website, server?.repository]).toEqual([undefined, undefined])
    expect(JSON.stringify(listed)).not.toMatch(/\\u001b|\\u0007|\u202e/)
  })
})
