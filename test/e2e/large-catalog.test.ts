// A catalog that is large enough for a search thread, through a running gateway.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json } from '../kit/clients.ts'
import { fixtureServer } from '../kit/fixture-server.ts'
import { type GatewaySetup, gatewayWith, type TestGateway, until } from '../kit/gateway.ts'

const NOUNS = ['invoice', 'branch', 'mail', 'folder', 'ticket', 'picture', 'contract']
const VERBS = ['archive', 'paint', 'send', 'translate', 'count']
const tools = Array.from({ length: 700 }, (_, nth) => ({
  name: `${VERBS[nth % 5]}_${NOUNS[nth % 7]}_${nth}`,
  inputSchema: { type: 'object' },
  annotations: { readOnlyHint: nth % 2 === 0 },
}))
const ids = ['one', 'two', 'three']
const all = { servers: ids, exposure: 'meta-tools', strategy: 'hybrid' }
const SETUP: GatewaySetup = {
  servers: Object.fromEntries(ids.map((id) => [id, fixtureServer({ tools })])),
  projects: {
    all,
    part: {
      ...all,
      servers: ['one', 'two'],
      tools: {
        [`one:${tools[17]?.name}`]: { allowed: false },
        [`two:${tools[17]?.name}`]: { description: 'Brews a cup of coffee.' },
      },
    },
  },
  endpoints: { all: { project: 'all' }, part: { project: 'part' } },
  tokens: { reader: { readOnly: true } },
}

let dataDir: string
let gateway: TestGateway
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tooldex-large-'))
  gateway = await gatewayWith(SETUP, { dataDir, logLevel: 'debug' })
})
afterAll(async () => {
  await gateway.stop()
  await rm(dataDir, { recursive: true })
})

async function find(query: string, endpoint = 'all', token?: string): Promise<string[]> {
  const client = await gateway.client('modern', endpoint, token)
  const { structuredContent } = await client.call('tool_discovery', { query: [query], max_results: 20 })
  expect(structuredContent).toMatchObject({ answeredBy: 'hybrid' })
  expect(structuredContent['degraded']).toBeUndefined()
  return structuredContent['results'].map(({ toolKey }: Json) => toolKey)
}
const messages = (): unknown[] => gateway.lines.map(({ msg }) => msg)

describe('a gateway with thousands of tools', () => {
  it('searches in a thread, within what each caller may use', async () => {
    const named = tools[17]?.name ?? ''
    expect((await find(named)).slice(0, 3).toSorted()).toEqual(['one', 'three', 'two'].map((id) => `${id}:${named}`))
    const part = await find(named, 'part')
    expect(part).not.toContain(`one:${named}`)
    expect(part.filter((key) => key.startsWith('three:'))).toEqual([])
    expect((await find('brew coffee', 'part'))[0]).toBe(`two:${named}`)
    expect(await find('brew coffee')).not.toContain(`two:${named}`)
    const read = await find('archive invoice', 'all', 'reader')
    expect(read.length).toBeGreaterThan(0)
    expect(read.filter((key) => Number(key.split('_').at(-1)) % 2 === 1)).toEqual([])
    expect(gateway.lines.find(({ msg }) => msg === 'built a search index')).toMatchObject({ strategy: 'hybrid' })
  })

  it('[U14] takes over the index of the previous run before it is ready', async () => {
    const before = await find('paint a picture', 'part')
    await gateway.stop()
    gateway = await gatewayWith(SETUP, { dataDir, logLevel: 'debug' })
    await until(async () => (await fetch(`${gateway.url}/readyz`)).ok)
    expect(messages()).toContain('loaded a search index')
    expect(messages()).not.toContain('built a search index')
    expect(await find('paint a picture', 'part')).toEqual(before)
  })
})
