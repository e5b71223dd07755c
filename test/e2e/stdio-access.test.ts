// The identity of a client over standard streams: the environment's token or the owner, narrowed by `_meta.token`.

import { PassThrough } from 'node:stream'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { authenticateSecret } from '../../packages/gateway/src/access/tokens.ts'
import { GatewayError } from '../../packages/gateway/src/errors.ts'
import type { Principal } from '../../packages/gateway/src/model/principal.ts'
import type { Json } from '../kit/clients.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { type GatewaySetup, gatewayWith, type TestGateway } from '../kit/gateway.ts'

const reader = { ...textTool('read_page', 'Reads a page.'), annotations: { readOnlyHint: true } }
const SETUP: GatewaySetup = {
  servers: {
    a: fixtureServer({ tools: [reader, textTool('write_page', 'Writes a page.')] }),
    b: fixtureServer({ tools: [textTool('open_safe', 'Opens the safe.')] }),
    c: fixtureServer({ tools: [textTool('fly_kite', 'Flies a kite.')] }),
  },
  projects: { p: { servers: ['a', 'b'], exposure: 'full' }, q: { servers: ['c'] } },
  endpoints: { p: { project: 'p' } },
  tokens: {
    whole: { projects: ['p'] },
    looking: { projects: ['p'], readOnly: true },
    onlyA: { projects: ['p'], servers: ['a'] },
    onlyB: { projects: ['p'], servers: ['b'] },
    elsewhere: { projects: ['q'] },
    everything: {},
    old: { projects: ['p'], expires: '2020-01-01' },
  },
}
const OWNER: Principal = { tokenId: 'local', name: 'local', readOnly: false }
const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'stdio-test', version: '1' },
}
const ALL = ['a__read_page', 'a__write_page', 'b__open_safe']

/** A connection of a client, by lines. */
class Stdio {
  readonly #input = new PassThrough()
  readonly #answers = new Map<number, (answer: Json) => void>()
  readonly #served: Promise<void>
  readonly #era: 'legacy' | 'modern'
  #id = 0

  constructor(gateway: TestGateway, era: 'legacy' | 'modern', principal: () => Principal) {
    const output = new PassThrough()
    this.#era = era
    createInterface(output).on('line', (line) => {
      const answer = JSON.parse(line) as Json
      this.#answers.get(answer['id'] as number)?.(answer)
    })
    this.#served = gateway.inside.serveStdio(principal, { input: this.#input, output }, 'p')
  }

  async begin(): Promise<this> {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'stdio-test', version: '1' } }
    if (this.#era === 'legacy') await this.request('initialize', params)
    return this
  }

  request(method: string, params: Json = {}, meta: Json = {}): Promise<Json> {
    const id = ++this.#id
    const _meta = this.#era === 'modern' ? { ...MODERN, ...meta } : meta
    const answer = new Promise<Json>((resolve) => this.#answers.set(id, resolve))
    this.#input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } })}\n`)
    return answer
  }

  /** The names on the list, or the code of the refusal. */
  async list(token?: unknown): Promise<unknown> {
    const { result, error } = await this.request('tools/list', {}, token === undefined ? {} : { token })
    return error?.data?.code ?? result?.tools.map(({ name }: Json) => name).toSorted()
  }

  async end(): Promise<void> {
    this.#input.end()
    await this.#served
  }
}

const eras = ['legacy', 'modern'] as const

describe.each(eras)('A %s client over stdio', (era) => {
  it('[R41] is narrowed by _meta.token, and never widened', async () => {
    await using gateway = await gatewayWith(SETUP)
    const secret = (name: string) => gateway.secret(name)
    const owner = await new Stdio(gateway, era, () => OWNER).begin()
    expect(await owner.list()).toEqual(ALL)
    expect(await owner.list(secret('looking'))).toEqual(['a__read_page'])
    expect(await owner.list(secret('onlyA'))).toEqual(['a__read_page', 'a__write_page'])
    expect(await owner.list(secret('everything'))).toEqual(ALL)
    // Narrowing is for one request.
    expect(await owner.list()).toEqual(ALL)
    await owner.end()
    const model = gateway.inside.models.current()
    const onlyA = await new Stdio(gateway, era, () => authenticateSecret(secret('onlyA'), model, Date.now())).begin()
    for (const wider of ['whole', 'everything', 'onlyA']) {
      expect([wider, await onlyA.list(secret(wider))]).toEqual([wider, ['a__read_page', 'a__write_page']])
    }
    expect(await onlyA.list(secret('onlyB'))).toEqual([])
    expect(await onlyA.list(secret('looking'))).toEqual(['a__read_page'])
    const { result } = await onlyA.request('tools/call', { name: 'b__open_safe' }, { token: secret('whole') })
    expect(JSON.stringify(result ?? 'refused')).not.toContain('\\"tool\\"')
    await onlyA.end()
  })

  it('[R41] is refused with a _meta.token that is wrong, expired, revoked, of another project or no text', async () => {
    await using gateway = await gatewayWith(SETUP)
    const client = await new Stdio(gateway, era, () => OWNER).begin()
    const admin = `tdxa_${'x'.repeat(43)}`
    for (const token of ['tdx_wrong', '', 'x'.repeat(10_000), admin]) {
      expect([token.slice(0, 9), await client.list(token)]).toEqual([token.slice(0, 9), 'TOKEN_INVALID'])
    }
    expect(await client.list(gateway.secret('old'))).toBe('TOKEN_EXPIRED')
    expect(await client.list(gateway.secret('elsewhere'))).toBe('ENDPOINT_NOT_FOUND')
    for (const token of [7, true, {}, ['a']]) expect(await client.list(token)).toBe('REQUEST_INVALID')
    const { whole: _, ...tokens } = SETUP.tokens ?? {}
    expect(await client.list(gateway.secret('whole'))).toEqual(ALL)
    gateway.configure({ ...SETUP, tokens })
    expect(await client.list(gateway.secret('whole'))).toBe('TOKEN_INVALID')
    expect(await client.list()).toEqual(ALL)
    await client.end()
  })

  it('[R41] audits the token of the request, and forwards none to servers', async () => {
    await using gateway = await gatewayWith(SETUP)
    const client = await new Stdio(gateway, era, () => OWNER).begin()
    const meta = { token: gateway.secret('onlyA'), 'example.org/kept': 1 }
    await client.request('tools/call', { name: 'a__read_page', arguments: {} }, meta)
    expect(gateway.audited().at(-1)).toMatchObject({ tokenId: 'onlyA', toolKey: 'a:read_page', outcome: 'ok' })
    const [forwarded] = (await gateway.seenBy('a')).filter(({ method }) => method === 'tools/call')
    expect(forwarded?.['params']._meta).toEqual({ 'example.org/kept': 1 })
    await client.end()
  })

  it('checks the token with every request: none is answered after its end, not even ping or initialize', async () => {
    await using gateway = await gatewayWith(SETUP)
    let isRevoked = false
    const client = await new Stdio(gateway, era, () => {
      if (isRevoked) throw new GatewayError('TOKEN_INVALID')
      return OWNER
    }).begin()
    expect(await client.list()).toEqual(ALL)
    isRevoked = true
    for (const method of ['tools/list', 'tools/call', 'ping', 'initialize', 'server/discover', 'prompts/list']) {
      const { error } = await client.request(method)
      expect([method, error?.data?.code]).toEqual([method, 'TOKEN_INVALID'])
    }
    expect((await gateway.seenBy('a')).filter(({ method }) => method === 'tools/call')).toEqual([])
    isRevoked = false
    expect(await client.list()).toEqual(ALL)
    await client.end()
  })
})
