// The service with a slow embedding model, in processes of its own, and a real PostgreSQL that keeps the vectors.
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type EmbeddingService,
  startEmbeddingService,
} from '../../packages/embeddings/src/http/embedding-service.case.ts'
import { type SearchApiProcess, startSearchApi } from '../kit/search-api.ts'
import { type TestDatabase, testDatabase } from '../kit/test-database.ts'

const KEY = 'sk-of-the-embedding-service'
const TOOLS = ['create_issue', 'read_text', 'send_mail'].map((toolName) => ({
  toolKey: `a:${toolName}`,
  toolName,
  serverName: 'a',
  description: `This one is there to ${toolName.replace('_', ' ')}.`,
}))

let database: TestDatabase
let model: EmbeddingService
beforeAll(async () => {
  ;[database, model] = await Promise.all([testDatabase(), startEmbeddingService()])
}, 60_000)
afterAll(async () => {
  await model.close()
  await database.drop()
})

function start(): Promise<SearchApiProcess> {
  return startSearchApi({
    args: ['--embeddings-url', model.url, '--embeddings-model', 'nomic'],
    variables: { TOOLDEX_EMBEDDINGS_API_KEY: KEY, TOOLDEX_SEARCH_API_DATABASE: database.url },
  })
}

async function search({ url, token }: SearchApiProcess, query: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}/v1/catalog/search`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: [query], tools: TOOLS }),
  })
  expect(response.status).toBe(200)
  return (await response.json()) as Record<string, unknown>
}

async function rows(): Promise<{ embedder: string; hash: string }[]> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    return (await client.query('select embedder, hash from tooldex_search_vectors')).rows
  } finally {
    await client.end()
  }
}

const textsAsked = (): string[] => model.asked.flatMap(({ body }) => body.input)

describe('tooldex search-api with an embedding service and a database', () => {
  it('embeds tools once: the next process finds their vectors in the database', async () => {
    await using first = await start()
    expect(await search(first, 'create issue')).toMatchObject({ answeredBy: 'hybrid' })
    const embedded = textsAsked()
    for (const { description } of TOOLS) expect(embedded.some((text) => text.includes(description))).toBe(true)
    expect(new Set(model.asked.map(({ authorization }) => authorization))).toEqual(new Set([`Bearer ${KEY}`]))
    await expect.poll(rows, { timeout: 10_000 }).toHaveLength(TOOLS.length)
    await first.kill()

    await using second = await start()
    const answer = await search(second, 'read text')
    expect(answer).toMatchObject({ answeredBy: 'hybrid' })
    expect(answer).not.toHaveProperty('degraded')
    // The scale of a model is taken from a few sentences at each start; the tools themselves are known.
    const later = textsAsked().slice(embedded.length)
    expect(later).toContain('read text')
    for (const { description } of TOOLS) expect(later.filter((text) => text.includes(description))).toEqual([])
  }, 60_000)
})
