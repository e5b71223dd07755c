// Results beyond the budget: cut, kept for their caller, and read on.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ClientKind, failureOf, type Json, type TestClient, textOf } from '../kit/clients.ts'
import { fixtureServer } from '../kit/fixture-server.ts'
import { gatewayWith, type TestGateway } from '../kit/gateway.ts'

const PRODUCE = {
  name: 'produce',
  description: 'Produce a lot',
  inputSchema: { type: 'object' },
  outputSchema: { type: 'object' },
}
const MEGABYTE = 1_000_000

let gateway: TestGateway

beforeAll(async () => {
  const limits = { maxReplyBytes: 200 * MEGABYTE }
  const server = fixtureServer({ tools: [PRODUCE], answers: [['produce', 'produce']] }, { limits })
  const small = fixtureServer({ tools: [PRODUCE], answers: [['produce', 'produce']] })
  gateway = await gatewayWith({
    servers: { s: server, small },
    projects: { p: { servers: ['s', 'small'] }, q: { servers: ['s'] } },
    endpoints: {
      meta: { project: 'p', exposure: 'meta-tools' },
      same: { project: 'p', exposure: 'meta-tools' },
      other: { project: 'q', exposure: 'meta-tools' },
      off: { project: 'p', exposure: 'meta-tools', resultBudget: 'off' },
      tight: { project: 'p', exposure: 'meta-tools', resultBudget: 500 },
      full: { project: 'p', exposure: 'full' },
      budgeted: { project: 'p', exposure: 'full', resultBudget: 2_000 },
      limited: { project: 'p', exposure: 'limited', dialect: 'mcproxy', resultBudget: 2_000 },
      metamcp: { project: 'p', exposure: 'meta-tools', dialect: 'metamcp' },
    },
    tokens: { ada: {}, bob: {} },
  })
})
afterAll(() => gateway.stop())

const produce = (client: TestClient, args: Json, server = 's'): Promise<Json> =>
  client.request('tools/call', { name: 'tool_execute', arguments: { toolKey: `${server}:produce`, arguments: args } })
const read = (client: TestClient, args: Json): Promise<Json> =>
  client.call('tool_execute', { toolKey: 'tooldex:read_result', arguments: args })
const noteOf = (result: Json): string => result['content'].at(-1).text
const idOf = (result: Json): string => /"id":"([\w-]+)"/.exec(noteOf(result))?.[1] ?? ''
const codeOf = (result: Json): string => (expect(result['isError']).toBe(true), textOf(result).split(':')[0] ?? '')

describe.each<ClientKind>(['modern', 'legacy', 'v1', 'sse'])('a %s client', (kind) => {
  it('[U8] gets the beginning of a log of 5 MB, and line 40,000 with one more call', async () => {
    const client = await gateway.client(kind, 'meta')
    const result = await produce(client, { kind: 'log', n: 52_000 })
    const shown = result['content'].map(({ text }: Json) => text).join('')
    // Under 2,000 tokens even if each has only two and a half characters.
    expect(shown.length).toBeLessThan(5_000)
    expect(textOf(result)).toMatch(/^2026.* request 1 of .*no retries\n$/s)
    expect(noteOf(result)).toMatch(/lines 1 to \d+ of 52,000 \(5\.\d MB, about 1,\d{3},\d{3} tokens, \d+ pages\)/)
    expect(result['_meta']).toMatchObject({ kept: true })
    const line = await read(client, { id: idOf(result), line: 40_000, lines: 1 })
    expect(textOf(line)).toMatch(/^\S+ INFO request 40000 of .*\n$/)
    expect(noteOf(line)).toContain('Lines 40,000 to 40,000 of 52,000')
    const found = await read(client, { id: idOf(result), find: 'REQUEST 51999 ' })
    expect(textOf(found)).toMatch(/^line 51999: \S+ INFO request 51999 of /)
  })

  it('[U8] reads by page until the end, without a gap', async () => {
    const client = await gateway.client(kind, 'meta')
    const result = await produce(client, { kind: 'log', n: 1_500 })
    const id = idOf(result)
    let [text, note, page] = [textOf(result), '', 1]
    do {
      const next = await read(client, { id, page: String(++page) })
      text += textOf(next)
      note = noteOf(next)
      expect(textOf(next).length).toBeLessThanOrEqual(40_000)
    } while (note.includes('The next one'))
    expect(text.split('\n')).toHaveLength(1_500)
    expect(text).toMatch(/request 1500 of .*retries$/)
    expect(codeOf(await read(client, { id, page: page + 1 }))).toBe('INVALID_ARGUMENTS')
  })

  it('[U8] gets whole records of JSON, once', async () => {
    const client = await gateway.client(kind, 'meta')
    const result = await produce(client, { kind: 'structure', n: 3_000 })
    expect(result).not.toHaveProperty('structuredContent')
    const { items } = JSON.parse(textOf(result))
    expect(items.length).toBeGreaterThan(20)
    expect(items.at(-1)).toEqual({ n: items.length - 1, name: `name, ${items.length - 1}`, tags: ['a', 'b'] })
    const next = textOf(await read(client, { id: idOf(result), page: 2 }))
    expect(JSON.parse(`[${next.replace(/,$/, '')}]`)[0].n).toBe(items.length)
  })

  it('[U8] gets links in place of images beyond the budget, and each image by its number or link', async () => {
    const client = await gateway.client(kind, 'meta')
    const result = await produce(client, { kind: 'images', n: 8, bytes: 40_000 })
    const types = result['content'].map(({ type }: Json) => type)
    expect(types).toEqual(
      [...Array(6).fill(['text', 'image']), ...Array(2).fill(['text', 'resource_link']), 'text'].flat(),
    )
    expect(noteOf(result)).toContain('2 blocks are replaced by a link')
    const image = { type: 'image', mimeType: 'image/png', data: 'A'.repeat(40_000) }
    expect((await read(client, { id: idOf(result), block: 14 }))['content']).toEqual([image])
    const { uri, mimeType } = result['content'][13]
    const { contents } = await client.request('resources/read', { uri })
    expect(contents).toEqual([{ uri, mimeType, blob: image.data }])
  })

  it('[U8] gets an image that models take, and a link in place of one that they do not', async () => {
    const client = await gateway.client(kind, 'meta')
    const fine = await produce(client, { kind: 'images', n: 1, bytes: 400_000 })
    expect(fine['content'].map(({ type }: Json) => type)).toEqual(['text', 'image'])
    const huge = await produce(client, { kind: 'images', n: 1, bytes: 6 * MEGABYTE })
    expect(huge['content'].map(({ type }: Json) => type)).toEqual(['text', 'resource_link', 'text'])
    const { contents } = await client.request('resources/read', { uri: huge['content'][1].uri })
    expect(contents[0].blob).toHaveLength(6 * MEGABYTE)
  })

  it('[U8] gets failures of tools cut, too', async () => {
    const result = await produce(await gateway.client(kind, 'meta'), { kind: 'log', n: 5_000, failed: true })
    expect(result['isError']).toBe(true)
    expect(idOf(result)).not.toBe('')
  })

  it('[U8] is told that a text is none, and gets no broken characters', async () => {
    const client = await gateway.client(kind, 'meta')
    const binary = await produce(client, { kind: 'binary', n: 30_000 })
    expect(binary['content']).toHaveLength(1)
    expect(noteOf(binary)).toContain('looks like binary data')
    const broken = await produce(client, { kind: 'broken', n: 30_000 })
    expect(textOf(broken)).toMatch(/^(?:é\ufffd 😀 words of a text )+[é\ufffd 😀a-z]*$/u)
    expect(textOf(await read(client, { id: idOf(broken), page: 2 }))).toMatch(/^[é\ufffd 😀a-z]+\S*$/u)
  })

  it('[U8] gets everything with `off`, and results of tools that it calls by name', async () => {
    const { content } = await produce(await gateway.client(kind, 'off'), { kind: 'log', n: 5_000 })
    expect(content).toHaveLength(1)
    expect(content[0].text.split('\n')).toHaveLength(5_000)
    const full = await gateway.client(kind, 'full')
    expect((await full.listTools()).map(({ name }) => name)).toEqual(['s__produce', 'small__produce'])
    const direct = await full.request('tools/call', { name: 's__produce', arguments: { kind: 'structure', n: 3_000 } })
    expect(direct['structuredContent'].items).toHaveLength(3_000)
  })

  it.each(['budgeted', 'limited'])('[U8] reads on by name where tools are listed: %s', async (endpoint) => {
    const client = await gateway.client(kind, endpoint)
    const tools = await client.listTools()
    const [first, ...others] = tools
    expect(first).toMatchObject({ name: 'tooldex__read_result', annotations: { readOnlyHint: true } })
    expect(others.some((tool) => 'outputSchema' in tool)).toBe(false)
    const result = await client.call(String(others[0]?.['name']), { kind: 'structure', n: 1_000 })
    expect(noteOf(result)).toContain('tooldex__read_result {"id"')
    const next = await client.call('tooldex__read_result', { id: idOf(result), page: 2 })
    expect(textOf(next)).toMatch(/^\{"n":\d+/)
  })

  it('[U8] reads on in another dialect', async () => {
    const client = await gateway.client(kind, 'metamcp')
    const result = await produce(client, { kind: 'log', n: 1_000 })
    expect(textOf(await read(client, { id: idOf(result), line: 999 }))).toMatch(/request 999 of .*\n.*request 1000 of/)
  })

  it.each([
    [{}, 'INVALID_ARGUMENTS: id is required'],
    [{ id: 7 }, 'INVALID_ARGUMENTS: id is required'],
    [{ id: 'nothing' }, 'RESULT_NOT_FOUND'],
    [{ page: 0 }, 'INVALID_ARGUMENTS: page must be'],
    [{ page: 1.5 }, 'INVALID_ARGUMENTS: page must be'],
    [{ page: 'next' }, 'INVALID_ARGUMENTS: page must be'],
    [{ page: 1e9 }, 'INVALID_ARGUMENTS: The arguments are not valid: there is no page 1000000000'],
    [
      { line: 1_001 },
      'INVALID_ARGUMENTS: The arguments are not valid: there is no line 1001: this result has 1,000 lines',
    ],
    [{ find: '' }, 'INVALID_ARGUMENTS: find must be'],
    [{ find: 'x'.repeat(201) }, 'INVALID_ARGUMENTS: find must be'],
    [{ block: 1 }, 'INVALID_ARGUMENTS: The arguments are not valid: this result has no blocks'],
  ])('[U8] answers %j clearly', async (args, answer) => {
    const client = await gateway.client(kind, 'meta')
    const id = idOf(await produce(client, { kind: 'log', n: 1_000 }))
    const result = await read(client, { ...('id' in args || Object.keys(args).length === 0 ? {} : { id }), ...args })
    expect(result['isError']).toBe(true)
    expect(textOf(result)).toContain(answer)
  })
})

describe('A kept result', () => {
  it('[U8] is for its caller alone: another token, another project and a wrong id get the same answer', async () => {
    const ada = await gateway.client('modern', 'meta', 'ada')
    const id = idOf(await produce(ada, { kind: 'log', n: 1_000 }))
    expect(textOf(await read(await gateway.client('v1', 'same', 'ada'), { id }))).toContain('request 1 of')
    const unknown = await read(ada, { id: 'unknown' })
    const answers = [
      await read(await gateway.client('modern', 'meta', 'bob'), { id }),
      await read(await gateway.client('modern', 'other', 'ada'), { id }),
    ]
    for (const answer of answers) expect(answer).toEqual(unknown)
    expect(codeOf(unknown)).toBe('RESULT_NOT_FOUND')
    const uri = `tooldex://results/${id}/1`
    const bob = await gateway.client('modern', 'meta', 'bob')
    const refused = await failureOf(bob.request('resources/read', { uri }))
    expect(refused).toEqual(await failureOf(ada.request('resources/read', { uri: 'tooldex://results/unknown/1' })))
    expect(refused.data).toMatchObject({ code: 'RESULT_NOT_FOUND' })
  })

  it('[U8] is read by calls that are audited without contents', async () => {
    const client = await gateway.client('modern', 'meta')
    const id = idOf(await produce(client, { kind: 'log', n: 1_000 }))
    await read(client, { id, find: 'request 77 ' })
    expect(gateway.audited().at(-1)).toMatchObject({
      kind: 'call',
      serverId: 'tooldex',
      toolKey: 'tooldex:read_result',
      outcome: 'ok',
      projectId: 'p',
      tokenId: 'test',
    })
    await read(client, { id: 'unknown' })
    expect(gateway.audited().at(-1)).toMatchObject({ toolKey: 'tooldex:read_result', outcome: 'RESULT_NOT_FOUND' })
    expect(JSON.stringify(gateway.audited().slice(-2))).not.toMatch(/request 77|INFO|unknown/)
  })

  it('[U8] has no name in the data folder', async () => {
    await produce(await gateway.client('modern', 'meta'), { kind: 'log', n: 20_000 })
    expect(readdirSync(join(gateway.dataDir, 'results'))).toEqual([])
  })

  it('[U8] may have 64 MB; beyond the limit of the server the answer is clear', { timeout: 120_000 }, async () => {
    const client = await gateway.client('modern', 'meta')
    const result = await produce(client, { kind: 'log', n: 650_000 })
    expect(noteOf(result)).toMatch(/of 650,000 \(6\d\.\d MB/)
    const line = await read(client, { id: idOf(result), line: 640_000, lines: 1 })
    expect(textOf(line)).toContain('request 640000 of')
    const refused = await produce(client, { kind: 'log', n: 650_000 }, 'small')
    expect(codeOf(refused)).toBe('REPLY_TOO_LARGE')
  })

  it('[U8] is cut to the budget of its endpoint', async () => {
    const client = await gateway.client('modern', 'tight')
    const result = await produce(client, { kind: 'log', n: 30 })
    expect(noteOf(result)).toContain('of 30 (3 kB')
    expect(textOf(await read(client, { id: idOf(result), page: 2 })).length).toBeLessThanOrEqual(2_000)
  })
})
