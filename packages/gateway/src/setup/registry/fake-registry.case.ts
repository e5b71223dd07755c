// A registry that speaks the official API, in pages, or misbehaves on purpose.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach } from 'vitest'

/** How a registry answers. */
type Mood = 'well' | 'only-v0' | 'fails' | 'hangs' | 'huge' | 'no-json' | 'no-list' | 'redirects' | 'endless'

/** A registry under test. */
export interface FakeRegistry {
  readonly url: string
  /** The paths and queries that it was asked for. */
  readonly asked: string[]
  readonly authorization: (string | undefined)[]
  entries: readonly object[]
  mood: Mood
}

/** An entry as the API lists it. */
export const listedEntry = (server: object, official: object = {}): object => ({
  server: { description: 'A server', version: '1.0.0', ...server },
  _meta: {
    'io.modelcontextprotocol.registry/official': {
      status: 'active',
      publishedAt: '2026-05-01T00:00:00Z',
      isLatest: true,
      ...official,
    },
  },
})

/** A server with one required secret, from npm. */
export const WEATHER = listedEntry({
  name: 'io.github.ada/weather',
  title: 'Weather',
  description: 'Forecasts for any place',
  version: '1.4.2',
  repository: { url: 'https://github.com/ada/weather', source: 'github' },
  packages: [
    {
      registryType: 'npm',
      identifier: '@ada/weather-mcp',
      version: '1.4.2',
      runtimeHint: 'npx',
      transport: { type: 'stdio' },
      environmentVariables: [
        { name: 'WEATHER_API_KEY', description: 'Key of the weather service', isRequired: true, isSecret: true },
        { name: 'UNITS', default: 'metric', choices: ['metric', 'imperial'] },
      ],
    },
  ],
})

/** Starts registries for a test and stops them after it. */
export function useRegistries(): (entries?: readonly object[]) => Promise<FakeRegistry> {
  const open: Server[] = []
  afterEach(() => {
    for (const server of open.splice(0)) {
      server.closeAllConnections()
      server.close()
    }
  })
  return async (entries = [WEATHER]) => {
    const asked: string[] = []
    const authorization: (string | undefined)[] = []
    const server = createServer((req, res) => {
      asked.push(req.url ?? '')
      authorization.push(req.headers.authorization)
      answer(registry, req, res)
    })
    open.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const registry: FakeRegistry = { url, asked, authorization, entries, mood: 'well' }
    return registry
  }
}

const PAGE = 2

function answer({ entries, mood }: FakeRegistry, req: IncomingMessage, res: ServerResponse): void {
  const url = new URL(req.url ?? '/', 'http://registry')
  const version = url.pathname.replace(/\/servers$/, '')
  const send = (status: number, body: string, headers = {}): void =>
    void res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  if (mood === 'hangs') return
  if (mood === 'fails') return send(503, '{"error":"\u001b[31mcome back later"}')
  if (mood === 'no-json') return send(200, '<html>')
  if (mood === 'no-list') return send(200, '{"servers":{}}')
  if (mood === 'redirects') return send(302, '', { location: 'http://169.254.169.254/latest/meta-data' })
  if (mood === 'huge') return send(200, `{"servers":[${'"x",'.repeat(1_500_000)}"x"]}`)
  if (version !== '/v0' && (version !== '/v0.1' || mood === 'only-v0')) return send(404, '{}')
  const search = url.searchParams.get('search')?.toLowerCase() ?? ''
  const from = Number(url.searchParams.get('cursor')?.slice(5) ?? 0)
  const fitting = entries.filter((entry) => nameOf(entry).includes(search))
  const next = from + PAGE
  const metadata = mood === 'endless' || next < fitting.length ? { nextCursor: `from-${next}` } : {}
  return send(200, JSON.stringify({ servers: fitting.slice(from, next), metadata }))
}

const nameOf = (entry: object): string => ((entry as { server?: { name?: string } }).server?.name ?? '').toLowerCase()
