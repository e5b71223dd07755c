// The answers of tool_discovery over published servers: they fit a context, and a model can call what it finds.

import { tmpdir } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ArgumentValidator } from '../../packages/gateway/src/calls/validate-arguments.ts'
import type { CatalogTool } from '../../packages/gateway/src/catalog/catalog.ts'
import { argumentsFrom } from '../../packages/gateway/src/dialects/signature-arguments.case.ts'
import type { ClientKind, Json } from '../kit/clients.ts'
import { npmServer } from '../kit/fixture-server.ts'
import { gatewayWith, type TestGateway } from '../kit/gateway.ts'

const KINDS: readonly ClientKind[] = ['modern', 'legacy', 'v1']
const CHARACTERS_PER_TOKEN = 4

describe('an answer of tool_discovery over published servers', () => {
  let gateway: TestGateway
  let tools: readonly CatalogTool[]

  beforeAll(async () => {
    gateway = await gatewayWith({
      servers: {
        everything: npmServer('everything', ['stdio']),
        files: npmServer('filesystem', [tmpdir()]),
        memory: npmServer('memory'),
        thinking: npmServer('sequential-thinking'),
      },
      endpoints: { default: { exposure: 'meta-tools' } },
    })
    tools = [...gateway.inside.catalog.snapshot().tools.values()]
  })
  afterAll(() => gateway.stop())

  const queries = (): readonly string[] => tools.map(({ name }) => name.replaceAll(/[_-]/g, ' '))
  const answers = async (kind: ClientKind): Promise<readonly Json[]> => {
    const client = await gateway.client(kind)
    const results: Json[] = []
    for (const query of queries()) results.push(await client.call('tool_discovery', { query: [query] }))
    return results
  }

  it.each(KINDS)('[R11] [R12] shows all that a valid first call takes, for %s clients', async (kind) => {
    expect(tools.length).toBeGreaterThan(30)
    const validator = new ArgumentValidator()
    let valid = 0
    let all = 0
    for (const { structuredContent } of await answers(kind)) {
      for (const { toolKey, signature } of structuredContent['results']) {
        const tool = tools.find(({ key }) => key === toolKey)
        if (tool === undefined) throw new Error(`There is no tool ${toolKey}`)
        all++
        if ((await validator.check(tool.definition, argumentsFrom(signature))).length === 0) valid++
      }
    }
    expect(all).toBeGreaterThan(200)
    expect(valid / all).toBeGreaterThanOrEqual(0.95)
  })

  it('[R11] costs 600 tokens in the median and 1,200 at most, and the same bytes each time', async () => {
    const texts = (await answers('legacy')).map((result) => String(result['content'][0]['text']))
    expect((await answers('modern')).map((result) => String(result['content'][0]['text']))).toEqual(texts)
    const costs = texts.map((text) => text.length / CHARACTERS_PER_TOKEN).toSorted((one, other) => one - other)
    expect(costs[costs.length >> 1]).toBeLessThanOrEqual(600)
    expect(costs.at(-1)).toBeLessThanOrEqual(1_200)
  })

  it('[R12] names a tool that the next call runs with arguments from the answer alone', async () => {
    const client = await gateway.client('v1')
    const found = await client.call('tool_discovery', { query: ['create entities in the knowledge graph'] })
    const [first] = found['structuredContent']['results']
    expect(first.toolKey).toBe('memory:create_entities')
    const result = await client.call('tool_execute', {
      toolKey: first.toolKey,
      arguments: argumentsFrom(first.signature),
    })
    expect(result['isError']).not.toBe(true)
  })
})
