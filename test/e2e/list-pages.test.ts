import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ClientKind, failureOf, type Json } from '../kit/clients.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { type GatewaySetup, gatewayWith, type TestGateway, until } from '../kit/gateway.ts'

const KINDS: readonly ClientKind[] = ['modern', 'legacy', 'v1']
const toolsOf = (count: number): object[] => Array.from({ length: count }, (_, at) => textTool(`t${at}`, 'x'))

const FULL = { exposure: 'full', optimization: null } as const
const SETUP: GatewaySetup = {
  servers: { a: fixtureServer({ tools: toolsOf(600) }), b: fixtureServer({ tools: toolsOf(600) }) },
  projects: { all: { servers: ['a', 'b'], ...FULL }, few: { servers: ['a'], ...FULL } },
  endpoints: { all: { project: 'all' }, few: { project: 'few' } },
}

describe('a list of more than 1,000 tools', () => {
  let gateway: TestGateway
  beforeAll(async () => void (gateway = await gatewayWith(SETUP)), 60_000)
  afterAll(() => gateway[Symbol.asyncDispose]())

  it.each(KINDS)('has pages that lead a %s client through every tool once', async (kind) => {
    const client = await gateway.client(kind, 'all')
    const pages: Json[] = []
    for (let cursor: string | undefined; pages.length < 5; ) {
      const page = await client.request('tools/list', cursor === undefined ? {} : { cursor })
      pages.push(page)
      cursor = page['nextCursor'] as string | undefined
      if (cursor === undefined) break
    }
    expect(pages.map(({ tools }) => (tools as unknown[]).length)).toEqual([1_000, 200])
    const names = pages.flatMap(({ tools }) => (tools as { name: string }[]).map(({ name }) => name))
    expect(new Set(names).size).toBe(1_200)
  })

  it.each(KINDS)('refuses a cursor that is not its own, from a %s client', async (kind) => {
    const client = await gateway.client(kind, 'all')
    for (const cursor of ['nonsense', Buffer.from('["a__t1"]').toString('base64url')]) {
      expect(await failureOf(client.request('tools/list', { cursor }))).toMatchObject({ code: -32602 })
    }
  })

  it('[U11] tells its clients when a tool or a description of it changes, and of nothing else', async () => {
    const client = await gateway.client('legacy', 'all')
    await client.request('tools/list')
    const told = () => client.heard.filter(({ method }) => method === 'notifications/tools/list_changed').length
    const tools = (settings: object): void =>
      gateway.configure({
        ...SETUP,
        projects: { ...SETUP.projects, all: { servers: ['a', 'b'], ...FULL, tools: settings } },
      })
    gateway.configure({ ...SETUP, tokens: { another: {} } })
    gateway.configure({ ...SETUP, projects: { ...SETUP.projects, few: { servers: ['b'], ...FULL } } })
    tools({ 'b:t599': { allowed: false } })
    await until(() => told() === 1)
    tools({ 'b:t599': { allowed: false }, 'a:t1': { description: 'Another one.' } })
    await until(() => told() === 2)
    gateway.configure(SETUP)
    await until(() => told() === 3)
    expect(told()).toBe(3)
  })

  it('is the exception: shorter lists have one page', async () => {
    const client = await gateway.client('v1', 'few')
    const page = await client.request('tools/list')
    expect(page['tools']).toHaveLength(600)
    expect(page['nextCursor']).toBeUndefined()
  })
})
