// Search by meaning through a running gateway: by default, without its table, and with an embedding service.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { send, startEmbeddingService } from '../../packages/embeddings/src/http/embedding-service.case.ts'
import type { Json } from '../kit/clients.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { type GatewaySetup, gatewayWith, type RunOptions, type TestGateway, until } from '../kit/gateway.ts'

const TOOLS = {
  tracker: [
    textTool('create_issue', 'Create a new issue in a repository.', ['title']),
    textTool('close_sprint', 'Finish the sprint of a board.', ['board']),
  ],
  disk: [
    textTool('read_text', 'Read the contents of a document.', ['path']),
    textTool('erase_text', 'Erase a document for good.', ['path']),
  ],
  weather: [textTool('get_forecast', 'Say how the weather will be at a place.', ['place'])],
}
const servers = Object.fromEntries(Object.entries(TOOLS).map(([id, tools]) => [id, fixtureServer({ tools })]))
const SETUP: GatewaySetup = {
  servers,
  projects: {
    all: { servers: Object.keys(TOOLS), exposure: 'meta-tools' },
    plain: { servers: Object.keys(TOOLS), exposure: 'meta-tools', strategy: 'bm25' },
    own: {
      servers: Object.keys(TOOLS),
      exposure: 'meta-tools',
      tools: { 'weather:get_forecast': { description: 'Tells whether to take a brolly.' } },
    },
  },
  endpoints: { all: { project: 'all' }, plain: { project: 'plain' }, own: { project: 'own' } },
}

let folder: string
const open: { stop(): Promise<void> }[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tooldex-meaning-'))
})
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.stop()
  await rm(folder, { recursive: true, force: true })
})

async function start(embeddings: Json = {}, options: RunOptions = {}): Promise<TestGateway> {
  const gateway = await gatewayWith({ ...SETUP, embeddings }, { logLevel: 'warn', ...options })
  open.push(gateway)
  return gateway
}

async function service(...args: Parameters<typeof startEmbeddingService>) {
  const started = await startEmbeddingService(...args)
  open.push({ stop: () => started.close() })
  return started
}

async function find(gateway: TestGateway, query: string, endpoint = 'all'): Promise<Json> {
  const client = await gateway.client('modern', endpoint)
  return (await client.call('tool_discovery', { query: [query], explain: true }))['structuredContent']
}
const keysOf = (answer: Json): string[] => answer['results'].map(({ toolKey }: Json) => toolKey)

describe('search by default', () => {
  it('finds a tool that shares no word with the query', async () => {
    const gateway = await start()
    const answer = await find(gateway, 'file a bug')
    expect(answer).toMatchObject({ answeredBy: 'hybrid' })
    expect(answer['degraded']).toBeUndefined()
    expect(keysOf(answer)[0]).toBe('tracker:create_issue')
    expect(await find(gateway, 'file a bug', 'plain')).toMatchObject({ answeredBy: 'bm25' })
    expect(gateway.lines).toEqual([])
  })

  it('finds nothing for nonsense', async () => {
    const gateway = await start()
    for (const query of ['zzqxjkv', 'asdf qwer', 'qwertzuiop']) {
      for (const { relevance } of (await find(gateway, query))['results']) expect(relevance).toBeLessThan(0.1)
    }
  })

  it('searches the descriptions of the project, and of no other', async () => {
    const gateway = await start()
    const why = async (endpoint: string): Promise<string> => JSON.stringify(await find(gateway, 'brolly', endpoint))
    expect(keysOf(await find(gateway, 'brolly', 'own'))[0]).toBe('weather:get_forecast')
    expect(await why('own')).toContain('brolly\\\" in description')
    expect(await why('all')).not.toContain('in description')
    gateway.configure({ ...SETUP, projects: { ...SETUP.projects, own: { ...SETUP.projects?.['own'], tools: {} } } })
    expect(await why('own')).not.toContain('in description')
  })
})

describe('a table that is broken', () => {
  it('lets bm25 answer with the reason, which is logged once', async () => {
    const table = join(folder, 'table.bin')
    await writeFile(table, 'not a table')
    const gateway = await start({ table })
    for (const [query, key] of [
      ['read a document', 'disk:read_text'],
      ['erase a document', 'disk:erase_text'],
    ] as const) {
      const answer = await find(gateway, query)
      expect(answer).toMatchObject({ answeredBy: 'bm25', degraded: { strategy: 'hybrid' } })
      expect(answer['degraded'].reason).toContain('table')
      expect(keysOf(answer)[0]).toBe(key)
    }
    expect(gateway.lines.filter(({ msg }) => String(msg).startsWith('an embedder is unusable'))).toHaveLength(1)
  })
})

describe('a service', () => {
  it('that is down lets the table answer, with a notice', async () => {
    const gateway = await start({ provider: 'http', url: 'http://127.0.0.1:1/v1', model: 'm', apiKey: 'sk-secret' })
    const answer = await find(gateway, 'file a bug')
    expect(answer).toMatchObject({ answeredBy: 'hybrid', degraded: { strategy: 'hybrid' } })
    expect(answer['degraded'].reason).toContain('127.0.0.1:1')
    expect(keysOf(answer)[0]).toBe('tracker:create_issue')
    expect(JSON.stringify([answer, gateway.lines])).not.toContain('sk-secret')
  })

  it('answers as soon as it has embedded all tools, and nothing is embedded twice after a restart', async () => {
    const embedding = await service()
    const embeddings = { provider: 'http', url: embedding.url, model: 'm' }
    const first = await start(embeddings, { dataDir: folder })
    await until(async () => (await find(first, 'read a document'))['degraded'] === undefined)
    await first.stop()
    const texts = () => embedding.asked.flatMap(({ body }) => body.input)
    const aboutTools = () => texts().filter((text) => text.includes('Say how the weather will be'))
    const before = aboutTools().length
    expect(before).toBeGreaterThan(0)
    const second = await start(embeddings, { dataDir: folder })
    await until(async () => (await find(second, 'read a document'))['degraded'] === undefined)
    expect(aboutTools()).toHaveLength(before)
  })

  it('that hangs or answers wrongly does not exceed the time limit of a search', async () => {
    const embedding = await service(() => {})
    const gateway = await start({
      ...{ provider: 'http', url: embedding.url, model: 'm' },
      ...{ queryTimeoutMs: 50, timeoutMs: 200 },
    })
    expect(keysOf(await find(gateway, 'file a bug'))[0]).toBe('tracker:create_issue')
    embedding.behave((_, res) => send(res, 200, '<html></html>'))
    expect(keysOf(await find(gateway, 'file a bug'))[0]).toBe('tracker:create_issue')
  })
})
