import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { createSearchApi, type SearchApi, type SearchApiLimits } from '@tooldex/search-api'
import { type IndexedTool, ToolScope } from '@tooldex/search'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CloudProvider, type ProjectSearchRequest } from './cloud-provider.ts'
import { SearchApiLink } from './search-api-link.ts'

const SECRET = 'tds_of-all-projects'
const NOUNS = ['issue', 'file', 'invoice', 'branch', 'channel', 'mail', 'order', 'report']
const VERBS = ['create', 'delete', 'list', 'read', 'update']

const TOOLS: readonly IndexedTool[] = Array.from({ length: 200 }, (_, at) => {
  const [verb = '', noun = ''] = [VERBS[at % 5], NOUNS[at % 8]]
  const server = `server${at % 10}`
  return {
    ...{ id: `${server}:${verb}_${noun}_${at}`, name: `${verb}_${noun}_${at}`, namespace: server },
    description: `${verb} the ${noun} number ${at}`,
    ...((verb === 'list' || verb === 'read') && { annotations: { readOnlyHint: true } }),
  }
})
const IDS = TOOLS.map(({ id }) => id)

interface Sent {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly bytes: number
  readonly body: Buffer
}

describe('a CloudProvider with many tools', () => {
  let api: SearchApi
  let sent: Sent[]
  let now: number
  let provider: CloudProvider
  /** Answers in place of the service, if it returns something. */
  let before: (request: Request) => Promise<Response | undefined>

  const start = (limits: SearchApiLimits = {}): void => {
    const sha256 = createHash('sha256').update(SECRET).digest('hex')
    api = createSearchApi({ tokens: [{ sha256, project: '*' }], limits, cache: { answerMs: 0 } })
    sent = []
    now = 0
    before = async () => undefined
    const send = async (...[url, init]: Parameters<typeof fetch>): Promise<Response> => {
      const request = new Request(url as URL, init)
      const body = Buffer.from(await request.clone().arrayBuffer())
      const response = (await before(request)) ?? (await api.handle(request))
      const { method } = request
      const { pathname } = new URL(request.url)
      sent.push({ method, path: pathname, status: response.status, bytes: body.length, body })
      return response
    }
    const link = new SearchApiLink({ url: 'http://search.test', token: SECRET, timeoutMs: 30_000 }, { fetch: send })
    provider = new CloudProvider(
      link,
      () => {},
      () => now,
    )
    provider.apply({ added: TOOLS, changed: [], removed: [] })
  }
  beforeEach(() => start())
  afterEach(() => api.close())

  const ask = (within: ProjectSearchRequest['within'], more: Partial<ProjectSearchRequest> = {}) =>
    provider.search({
      queries: ['create an issue'],
      maxResults: 20,
      projectId: 'work',
      ...more,
      ...(within && { within }),
    })
  const steps = () => sent.map(({ method, path, status }) => `${method} ${path.replace(/[0-9a-f]{64}/, '#')} ${status}`)
  const UPLOADED = ['POST /catalogs/#/search 404', 'PUT /catalogs/# 201', 'POST /catalogs/#/search 200']

  it('[R31] uploads the catalog once, then sends less than a kilobyte without a tool, and finds the same', async () => {
    const found = await ask(new ToolScope(IDS))
    expect(steps()).toEqual(UPLOADED)
    const lines = gunzipSync(sent[1]?.body ?? '')
      .toString()
      .trim()
      .split('\n')
    expect(lines.map((line) => JSON.parse(line).toolKey)).toEqual(IDS.toSorted())
    expect(Object.keys(JSON.parse(lines.find((line) => line.includes('server2:list')) ?? ''))).toEqual([
      'toolKey',
      'toolName',
      'serverName',
      'description',
      'traits',
    ])
    await ask(new ToolScope(IDS))
    expect(steps().slice(3)).toEqual(['POST /catalogs/#/search 200'])
    expect(sent.at(-1)?.bytes).toBeLessThan(1_000)
    expect(sent.at(-1)?.body.toString()).not.toContain('server0')
    // A set has no fingerprint: its tools are sent.
    expect(await ask(new Set(IDS))).toEqual(found)
    expect(steps().at(-1)).toBe('POST /catalog/search 200')
  })

  it('[R17] sends a rule for narrower scopes, finds what a search with just these tools finds, and nothing else', async () => {
    await ask(new ToolScope(IDS))
    const servers = fc.subarray(
      Array.from({ length: 10 }, (_, at) => `server${at}`),
      { minLength: 6 },
    )
    const without = fc.subarray(IDS, { maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(servers, without, fc.boolean(), async (named, left, readOnly) => {
        const tools = TOOLS.filter(
          ({ id, namespace = '', annotations }) =>
            named.includes(namespace) && !left.includes(id) && (!readOnly || annotations !== undefined),
        )
        const ids = tools.map(({ id }) => id)
        const found = await ask(new ToolScope(ids))
        expect(found).toEqual(await ask(new Set(ids)))
        for (const { id } of found.hits) expect(ids).toContain(id)
      }),
      { numRuns: 25 },
    )
    expect(sent.filter(({ method }) => method === 'PUT')).toHaveLength(1)
  })

  it('sends a read-only scope by its trait where a list of exceptions would be long', async () => {
    const many = Array.from({ length: 400 }, (_, at) => ({
      ...TOOLS[at % 200],
      id: `big:${'x'.repeat(40)}_${at}`,
      namespace: 'big',
    }))
    provider.apply({ added: many as IndexedTool[], changed: [], removed: [] })
    await ask(new ToolScope(many.map(({ id }) => id)))
    const readable = many.filter(({ annotations }) => annotations !== undefined).map(({ id }) => id)
    await ask(new ToolScope(readable))
    expect(JSON.parse(sent.at(-1)?.body.toString() ?? '').rule).toEqual({
      servers: 'all',
      except: [],
      traits: { readOnly: true },
    })
    const odd = many.filter((_, at) => at % 3 === 0).map(({ id }) => id)
    const found = await ask(new ToolScope(odd))
    expect(found).toEqual(await ask(new Set(odd)))
    // Its own catalog costs less than a rule with 267 exceptions.
    expect(sent.filter(({ method }) => method === 'PUT')).toHaveLength(2)
  })

  it('keeps the tools of projects apart', async () => {
    await ask(new ToolScope(IDS), { projectId: 'work' })
    await ask(new ToolScope(IDS.slice(0, 120)), { projectId: 'home' })
    const uploads = sent.filter(({ method }) => method === 'PUT')
    expect(uploads).toHaveLength(2)
    expect(
      gunzipSync(uploads[1]?.body ?? '')
        .toString()
        .trim()
        .split('\n'),
    ).toHaveLength(120)
  })

  it('uploads once for many searches at once, and again after a change of the tools', async () => {
    await Promise.all(Array.from({ length: 8 }, () => ask(new ToolScope(IDS))))
    expect(sent.filter(({ method }) => method === 'PUT')).toHaveLength(1)
    const changed = { ...TOOLS[0], description: 'Something else' } as IndexedTool
    provider.apply({ added: [], changed: [changed], removed: [] })
    sent.length = 0
    await ask(new ToolScope(IDS))
    expect(steps()).toEqual(UPLOADED)
  })

  it('drops tools outside the scope that a service answers with', async () => {
    const [outside = '', inside = ''] = IDS
    before = async (request) => {
      if (!request.url.endsWith('/search')) return undefined
      const results = [outside, inside].map((toolKey) => ({ toolKey, toolName: 't', serverName: 's', relevance: 1 }))
      return Response.json({ results })
    }
    const { hits } = await ask(new ToolScope(IDS.slice(1)))
    expect(hits.map(({ id }) => id)).toEqual([inside])
    before = async () => Response.json({ results: [{ toolKey: outside, relevance: 1 }] })
    await expect(ask(new ToolScope(IDS.slice(1)))).rejects.toMatchObject({ code: 'SEARCH_UNAVAILABLE' })
  })

  it.each([[404], [400], [405], [501], [500]])(
    'sends the tools to a service that takes no catalogs (%i), and tries again later',
    async (status) => {
      before = async ({ url }) => (url.includes('/catalogs/') ? new Response('{}', { status }) : undefined)
      expect((await ask(new ToolScope(IDS))).hits.length).toBeGreaterThan(0)
      expect(steps()).toEqual([`POST /catalogs/#/search ${status}`, 'POST /catalog/search 200'])
      await ask(new ToolScope(IDS))
      expect(steps().slice(2)).toEqual(['POST /catalog/search 200'])
      before = async () => undefined
      now += 11 * 60_000
      sent.length = 0
      await ask(new ToolScope(IDS))
      expect(steps()).toEqual(UPLOADED)
    },
  )

  it('sends the tools if the catalog has gone again after the upload, and if it is refused', async () => {
    const gone = () =>
      Response.json(
        { code: 'CATALOG_UNKNOWN' },
        { status: 404, headers: { 'content-type': 'application/problem+json' } },
      )
    before = async ({ url }) => (url.endsWith('/search') && url.includes('/catalogs/') ? gone() : undefined)
    expect((await ask(new ToolScope(IDS))).hits.length).toBeGreaterThan(0)
    expect(steps()).toEqual([UPLOADED[0], UPLOADED[1], UPLOADED[0], 'POST /catalog/search 200'])
    await api.close()
    start({ catalogBytes: 100 })
    for (const _ of [1, 2]) expect((await ask(new ToolScope(IDS))).hits.length).toBeGreaterThan(0)
    const inline = 'POST /catalog/search 200'
    expect(steps()).toEqual([UPLOADED[0], 'PUT /catalogs/# 413', inline, inline])
  })

  it('ends with its caller during an upload, which goes on', async () => {
    const caller = new AbortController()
    const { promise: mayUpload, resolve: letUpload } = Promise.withResolvers<undefined>()
    before = async ({ method }) => {
      if (method !== 'PUT') return undefined
      caller.abort(new Error('the caller has gone'))
      return mayUpload
    }
    await expect(ask(new ToolScope(IDS), { signal: caller.signal })).rejects.toThrow('the caller has gone')
    letUpload(undefined)
    await ask(new ToolScope(IDS))
    expect(sent.filter(({ method }) => method === 'PUT')).toHaveLength(1)
  })

  it('does not hide that a token is refused', async () => {
    before = async () => new Response('{}', { status: 403 })
    await expect(ask(new ToolScope(IDS))).rejects.toThrow('its token is not for this project')
    expect(steps()).toEqual(['POST /catalogs/#/search 403'])
  })
})
