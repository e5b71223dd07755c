import { PassThrough } from 'node:stream'
import { beforeEach, describe, expect, it } from 'vitest'
import { type FakeRegistry, listedEntry, useRegistries, WEATHER } from '../../setup/registry/fake-registry.case.ts'
import { fakeContext } from '../fake-gateway.case.ts'
import { runProgram } from '../program.ts'
import { useCommands } from '../use-commands.case.ts'

const startRegistry = useRegistries()
const { configure, folder, run } = useCommands()
let registry: FakeRegistry
beforeEach(async () => {
  registry = await startRegistry([
    WEATHER,
    listedEntry({ name: 'com.example/weather', remotes: [{ type: 'sse', url: 'https://weather.example.com/sse' }] }),
  ])
  configure({ dataDir: 'data', registries: [{ url: registry.url }] })
})

/** Runs a command at a terminal where a person answers each question with the next line, and then ends the input. */
async function typing(line: string, lines: readonly string[]) {
  const { context, out, err } = fakeContext(folder())
  const input = Object.assign(new PassThrough(), { isTTY: true })
  const left = [...lines]
  const type = (): void => {
    const next = left.shift()
    if (next === undefined) input.end()
    else input.write(`${next}\n`)
  }
  const terminal = {
    ...context.terminal,
    interactive: true,
    draw: (text: string) => {
      context.terminal.err(text)
      if (/(?::|\]) $/.test(text)) setImmediate(type)
    },
  }
  const code = await runProgram(line.split(' '), { ...context, terminal, streams: { ...context.streams, input } })
  return { code, out: out(), err: err() }
}
const exported = async () =>
  ((await run('export --with-secrets')).json()['config'] as { mcpServers: Record<string, unknown> }).mcpServers

describe('tooldex add', () => {
  it('[U7] lists package, version, transport and required inputs without a terminal', async () => {
    const { code, out, err } = await run('add weather')
    expect([code, err()]).toEqual([0, ''])
    expect(out()).toMatch(
      /1 +io\.github\.ada\/weather +1\.4\.2 +stdio +@ada\/weather-mcp@1\.4\.2 +WEATHER_API_KEY +Forecasts/,
    )
    expect(out()).toMatch(/2 +com\.example\/weather +1\.0\.0 +sse +https:\/\/weather\.example\.com\/sse +- +A server/)
    expect(out()).toContain('add one: tooldex add <server> --yes')
    expect((await run('add weather --json')).json()).toMatchObject({ items: [{ publisher: 'io.github.ada' }, {}] })
    expect((await run('add nothing-like-it')).out()).toBe('  no server found for "nothing-like-it"\n')
  })

  it('[U7] adds the server of exactly this name with the given values', async () => {
    const { code, out, err } = await run(
      'add io.github.ada/weather --yes --set WEATHER_API_KEY=s3cret --set UNITS=imperial',
    )
    expect([code, out()]).toEqual([
      ...[0, '  added the server weather\n  no gateway is running; the server starts with the next `tooldex serve`\n'],
    ])
    expect(err()).toMatch(/publisher +io\.github\.ada\n/)
    expect(err()).toMatch(/runs +npx -y @ada\/weather-mcp@1\.4\.2\n/)
    expect(out() + err()).not.toContain('s3cret')
    expect(await exported()).toMatchObject({
      weather: {
        command: 'npx',
        args: ['-y', '@ada/weather-mcp@1.4.2'],
        env: { WEATHER_API_KEY: '${input:WEATHER_API_KEY}', UNITS: 'imperial' },
        inputs: { WEATHER_API_KEY: 's3cret' },
      },
    })
    expect((await run('add io.github.ada/weather --yes --json')).json()).toMatchObject({ server: { id: 'weather-2' } })
    expect((await run('add com.example/weather --yes --id forecasts')).code).toBe(0)
    expect(await exported()).toMatchObject({ forecasts: { url: 'https://weather.example.com/sse', type: 'sse' } })
  })

  it('[U7] adds a server without its required value switched off, and says how to give the value', async () => {
    const { code, out } = await run('add io.github.ada/weather --yes')
    expect(code).toBe(0)
    expect(out()).toContain(
      'switched off until it has WEATHER_API_KEY: tooldex server set weather --input WEATHER_API_KEY=…',
    )
    expect((await run('server set weather --input WEATHER_API_KEY=s3cret')).code).toBe(0)
    expect(await exported()).toMatchObject({ weather: { inputs: { WEATHER_API_KEY: 's3cret' } } })
  })

  it('[U7] asks a person which one, for its inputs and whether to add it', async () => {
    const { code, out, err } = await typing('add weather', ['7', '1', 's3cret', 'y'])
    expect([code, out.split('\n').slice(-3, -1)[0]]).toEqual([0, '  added the server weather'])
    expect(err).toContain('there is no 7 in the list')
    expect(err).toContain('WEATHER_API_KEY (Key of the weather service):')
    expect(err).toContain('Add it as weather? [Y/n]')
    expect(err + out).not.toContain('s3cret')
    expect(await exported()).toMatchObject({ weather: { inputs: { WEATHER_API_KEY: 's3cret' } } })
  })

  it.each([[['']], [['1', 's3cret', 'n']], [['1']], [[]]])('adds nothing if the person types %j', async (lines) => {
    const { code, err } = await typing('add weather', lines)
    expect([code, err.endsWith('  nothing was added\n')]).toEqual([0, true])
    expect(await exported()).toEqual({})
  })

  it('takes values from the environment, so that they are in no command line', async () => {
    const { context, out } = fakeContext(folder(), {}, { WEATHER_API_KEY: 'from-env' })
    expect(await runProgram('add io.github.ada/weather --yes --set WEATHER_API_KEY'.split(' '), context)).toBe(0)
    expect(out()).not.toContain('from-env')
    expect(await exported()).toMatchObject({ weather: { inputs: { WEATHER_API_KEY: 'from-env' } } })
  })

  it('shows the kept answer and its time while the registry cannot be reached', async () => {
    await run('add weather')
    registry.mood = 'fails'
    const { code, out, err } = await run('add weather --refresh')
    expect([code, err()]).toEqual([
      0,
      `  ${registry.url} answered with status 503; showing its answer of 1970-01-01 00:00 UTC\n`,
    ])
    expect(out()).toContain('io.github.ada/weather')
  })

  it.each([
    ['add weather --yes', 3, 'exactly the name "weather". Similar: io.github.ada/weather, com.example/weather'],
    ['add io.github.ada/weather --yes --set NOPE=1', 2, 'values.NOPE: is not an input of this server'],
    ['add io.github.ada/weather --yes --set UNITS=kelvin', 2, 'must be one of metric, imperial'],
    ['add io.github.ada/weather --yes --set NOT_THERE', 2, 'there is no environment variable NOT_THERE'],
    ['add io.github.ada/weather --yes --way oci', 2, 'has no oci; it has @ada/weather-mcp@1.4.2'],
    ['add io.github.ada/weather --yes --id a:b', 2, 'no colon'],
    ['add weather --registry https://other.example', 2, 'is not a configured registry'],
    ['add', 2, 'missing required argument'],
  ])('answers %s with exit code %i and the reason', async (line, code, reason) => {
    const result = await run(line)
    expect([result.code, result.err()]).toEqual([code, expect.stringContaining(reason)])
  })

  it('reports an unavailable registry with exit code 4, and that none is configured', async () => {
    registry.mood = 'no-json'
    const { code, err } = await run('add weather')
    expect([code, err()]).toEqual([4, expect.stringContaining('is not JSON. Try again later')])
    configure({ dataDir: 'data', registries: [] })
    expect((await run('add weather')).err()).toContain('no registry is configured')
  })

  it('says why an entry cannot be added', async () => {
    registry.entries = [
      listedEntry({ name: 'x.y/bundle', packages: [{ registryType: 'mcpb', identifier: 'https://x/y.mcpb' }] }),
    ]
    expect((await run('add bundle')).out()).toMatch(/x\.y\/bundle +1\.0\.0 +- +cannot be added/)
    const { code, err } = await run('add x.y/bundle --yes')
    expect([code, err()]).toEqual([
      2,
      expect.stringContaining('mcpb https://x/y.mcpb is a kind of package that Tooldex does not run'),
    ])
  })
})
