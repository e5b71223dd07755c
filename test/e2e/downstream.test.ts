// Everything but tools through a running gateway, with the reference server that has everything, twice, and fixtures.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ClientKind, failureOf, type Json, textOf } from '../kit/clients.ts'
import { fixtureServer, npmServer, textTool } from '../kit/fixture-server.ts'
import { gatewayWith, type TestGateway, until } from '../kit/gateway.ts'

const PROMPT = { name: 'greet', description: 'Greet a person.' }
const RESOURCE = { uri: 'note://shared', name: 'Shared' }
const LABELS = ['red', 'blue']

let gateway: TestGateway

beforeAll(async () => {
  const answers = [
    ['log', 'log'],
    ['hang', 'hang'],
  ] as const
  const labelled = LABELS.map((label) => {
    const resources = [RESOURCE, { uri: `note://only-${label}`, name: label }]
    const tools = ['log', 'hang'].map((name) => textTool(name, name))
    return [label, fixtureServer({ tools, answers, prompts: [PROMPT], resources, label })] as const
  })
  gateway = await gatewayWith({
    servers: { ...Object.fromEntries(labelled), one: npmServer('everything'), two: npmServer('everything') },
    projects: {
      pair: { servers: LABELS, exposure: 'full' },
      single: { servers: ['one'], exposure: 'meta-tools' },
      twice: { servers: ['one', 'two'], exposure: 'full' },
    },
    endpoints: { pair: { project: 'pair' }, single: { project: 'single' }, twice: { project: 'twice' } },
    tokens: { 'red-only': { servers: ['red'] } },
  })
})

afterAll(() => gateway.stop())

describe.each<ClientKind>(['modern', 'legacy', 'v1', 'sse'])('a %s client', (kind) => {
  const client = (endpoint: string, token?: string) => gateway.client(kind, endpoint, token)
  const ask = async (endpoint: string, method: string, params?: Json): Promise<Json> =>
    (await client(endpoint)).request(method, params)

  it('gets prompts of two servers under unique names, each from its own server', async () => {
    const { prompts } = await ask('pair', 'prompts/list')
    expect(prompts).toEqual(LABELS.map((label) => ({ ...PROMPT, name: `${label}__greet` })))
    for (const label of LABELS) {
      const { messages } = await ask('pair', 'prompts/get', { name: `${label}__greet` })
      expect(messages[0].content.text).toBe(`${label}: greet`)
    }
    const unknown = await failureOf(ask('pair', 'prompts/get', { name: 'greet' }))
    expect(unknown).toMatchObject({ code: -32602, data: { code: 'PROMPT_NOT_FOUND' } })
  })

  it('gets resources of two servers under unique URIs, each from its own server', async () => {
    const { resources } = await ask('pair', 'resources/list')
    expect(resources.map(({ uri }: Json) => uri)).toEqual([
      'tooldex+red:note://shared',
      'note://only-red',
      'tooldex+blue:note://shared',
      'note://only-blue',
    ])
    for (const label of LABELS) {
      const shared = `tooldex+${label}:note://shared`
      const { contents } = await ask('pair', 'resources/read', { uri: shared })
      expect(contents).toEqual([{ uri: shared, text: `${label}: note://shared` }])
      const own = await ask('pair', 'resources/read', { uri: `note://only-${label}` })
      expect(own['contents'][0].text).toBe(`${label}: note://only-${label}`)
    }
    const ambiguous = await failureOf(ask('pair', 'resources/read', { uri: 'note://shared' }))
    expect(ambiguous).toMatchObject({ code: -32602, data: { code: 'RESOURCE_NOT_FOUND' } })
  })

  it('reaches only prompts and resources of its token', async () => {
    const red = await client('pair', 'red-only')
    expect((await red.request('prompts/list'))['prompts']).toHaveLength(1)
    expect((await red.request('resources/list'))['resources'].map(({ uri }: Json) => uri)).toEqual([
      'note://shared',
      'note://only-red',
    ])
    for (const uri of ['tooldex+blue:note://shared', 'tooldex+green:note://shared']) {
      expect((await failureOf(red.request('resources/read', { uri }))).data?.['code']).toBe('RESOURCE_NOT_FOUND')
    }
    const foreign = await failureOf(red.request('prompts/get', { name: 'blue__greet' }))
    expect(foreign.data?.['code']).toBe('PROMPT_NOT_FOUND')
  })

  it('gets prompts with arguments, and completions for them', async () => {
    const args = { city: 'Chicago', state: 'Illinois' }
    const { messages } = await ask('twice', 'prompts/get', { name: 'two__args-prompt', arguments: args })
    expect(messages[0].content.text).toContain('Chicago, Illinois')
    const department = { name: 'department', value: 'E' }
    for (const [endpoint, name] of [
      ['single', 'one__completable-prompt'],
      ['twice', 'two__completable-prompt'],
    ] as const) {
      const asked = { ref: { type: 'ref/prompt', name }, argument: department }
      expect((await ask(endpoint, 'completion/complete', asked))['completion'].values).toEqual(['Engineering'])
    }
  })

  it('reads resources, those of templates, and completions for templates', async () => {
    const { resources } = await ask('single', 'resources/list')
    const [{ uri }] = resources
    expect((await ask('single', 'resources/read', { uri }))['contents'][0].text.length).toBeGreaterThan(100)
    const { resourceTemplates } = await ask('twice', 'resources/templates/list')
    expect(resourceTemplates).toHaveLength(4)
    const { uriTemplate } = resourceTemplates.find((each: Json) => each['uriTemplate'].startsWith('tooldex+two:'))
    const dynamic = uriTemplate.replace('{resourceId}', '7')
    const { contents } = await ask('twice', 'resources/read', { uri: dynamic })
    expect(contents[0]).toMatchObject({ uri: dynamic, text: expect.stringContaining('Resource 7') })
    const argument = { name: 'resourceId', value: '7' }
    const completed = await ask('twice', 'completion/complete', {
      ref: { type: 'ref/resource', uri: uriTemplate },
      argument,
    })
    expect(completed['completion'].values).toEqual(['7'])
  })

  it('gets an error for an unknown resource, reference or method', async () => {
    for (const [method, params] of [
      ['resources/read', { uri: 'nowhere://x' }],
      ['completion/complete', { ref: { type: 'ref/other' }, argument: { name: 'a', value: '' } }],
    ] as const) {
      expect((await failureOf(ask('pair', method, params))).code).toBe(-32602)
    }
    // The SDK has an error of its own for the 404 of 2026-07-28.
    const { code } = await failureOf(ask('pair', 'made/up'))
    expect(code).toBe(kind === 'modern' ? 'CLIENT_HTTP_NOT_IMPLEMENTED' : -32601)
  })

  it('is notified of an updated resource under the URI that it subscribed to', async () => {
    const [watching, other] = await Promise.all([gateway.newClient(kind, 'twice'), gateway.newClient(kind, 'twice')])
    const uri = 'tooldex+one:demo://resource/dynamic/text/3'
    await watching.listen(uri)
    await other.listen('tooldex+two:demo://resource/dynamic/text/3')
    const isTold = () =>
      watching.heard.some(
        ({ method, params }) => method === 'notifications/resources/updated' && params?.['uri'] === uri,
      )
    // The server begins with its updates on the first call and ends with them on the next.
    await until(async () => {
      if (!isTold()) await watching.call('one__toggle-subscriber-updates')
      return isTold()
    })
    const updates = other.heard.filter(({ method }) => method === 'notifications/resources/updated')
    expect(updates.map(({ params }) => params?.['uri'])).not.toContain(uri)
    await Promise.all([watching.close(), other.close()])
  })

  it('gets progress before the result', async () => {
    const steps: number[] = []
    const args = { duration: 0.2, steps: 4 }
    const options = { onprogress: ({ progress }: { progress: number }) => void steps.push(progress) }
    const result = await (await client('twice')).call('two__trigger-long-running-operation', args, options)
    expect(textOf(result)).toContain('completed')
    // The last step arrives with the result, where some clients lose it.
    expect(steps.slice(0, 3)).toEqual([1, 2, 3])
  })

  it('cancels a call at the server', async () => {
    const seen = async (method: string) => (await gateway.seenBy('red')).filter((each) => each['method'] === method)
    const [calls, cancels] = [(await seen('tools/call')).length, (await seen('notifications/cancelled')).length]
    const controller = new AbortController()
    const call = (await client('pair')).call('red__hang', {}, { signal: controller.signal })
    await until(async () => (await seen('tools/call')).length > calls)
    controller.abort()
    await expect(call).rejects.toThrow(/abort/i)
    await until(async () => (await seen('notifications/cancelled')).length > cancels)
    const hung = (await seen('tools/call')).at(-1)
    expect((await seen('notifications/cancelled')).at(-1)?.['params'].requestId).toBe(hung?.['id'])
  })

  it('gets the log messages of a server during its call', async () => {
    const each = await gateway.newClient(kind, 'pair')
    const _meta = kind === 'modern' ? { 'io.modelcontextprotocol/logLevel': 'info' } : {}
    await each.call('blue__log', {}, { _meta })
    expect(each.heard).toContainEqual(
      expect.objectContaining({
        method: 'notifications/message',
        params: expect.objectContaining({ level: 'info', data: 'working' }),
      }),
    )
    await each.close()
  })

  it('is notified of a list change of its endpoint', async () => {
    const each = await gateway.newClient(kind, 'pair')
    await each.listen()
    const isTold = () => each.heard.some(({ method }) => method === 'notifications/tools/list_changed')
    const tools = ['log', 'hang', `new_for_${kind}`].map((name) => textTool(name, name))
    await gateway.changeTools('blue', tools)
    await until(isTold)
    expect((await each.listTools()).map(({ name }) => name)).toContain(`blue__new_for_${kind}`)
    await each.close()
  })
})

describe('a session', () => {
  it.each<ClientKind>(['legacy', 'v1', 'sse'])('of a %s client sets the level of logs at the servers', async (kind) => {
    const client = await gateway.newClient(kind, 'twice')
    expect(await client.request('logging/setLevel', { level: 'warning' })).toEqual({})
    expect((await failureOf(client.request('logging/setLevel', { level: 'loud' }))).code).toBe(-32602)
    await client.close()
  })

  it.each<ClientKind>(['modern', 'sse'])('of a %s client leaves no subscription behind', async (kind) => {
    const asked = async () => {
      const seen = await gateway.seenBy('red')
      return seen.map(({ method }) => String(method)).filter((method) => method.endsWith('subscribe'))
    }
    const before = (await asked()).length
    const clients = await Promise.all([1, 2].map(() => gateway.newClient(kind, 'pair')))
    for (const client of clients) await client.listen('note://only-red')
    await until(async () => (await asked()).length > before)
    for (const client of clients) await client.close()
    await until(async () => (await asked()).length > before + 1)
    expect((await asked()).slice(before)).toEqual(['resources/subscribe', 'resources/unsubscribe'])
  })
})
