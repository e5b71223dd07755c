// The sessions of two replicas, with whatever clients, clocks and networks do to them.

import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  beginSession,
  messagesOf,
  openListener,
  POLITE,
} from '../../packages/gateway/src/clients/http/listener.case.ts'
import { Replicas } from '../../packages/gateway/src/clients/replicas/replicas.ts'
import { sealSession } from '../../packages/gateway/src/clients/replicas/sealed-session.ts'
import type { Endpoint } from '../../packages/gateway/src/model/endpoint.ts'
import type { Principal } from '../../packages/gateway/src/model/principal.ts'
import type { Store } from '../../packages/gateway/src/model/store.ts'
import { openStore } from '../../packages/gateway/src/store/open-store.ts'
import { silentLogger } from '../../packages/gateway/src/telemetry/logger.ts'
import type { Json } from '../kit/clients.ts'
import { keptConnection } from '../kit/kept-connection.ts'

const HOUR_MS = 3_600_000
const TIME_LIMIT_MS = 30_000

let folder = ''
let store: Store
const open: { stop(): Promise<void> }[] = []
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tooldex-sessions-'))
  store = await openStore({ dataDir: folder, logger: silentLogger() })
})
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.stop()))
  await store.close()
  rmSync(folder, { recursive: true })
})

/** A replica on the store. */
async function replica({
  ahead = 0,
  purpose = 'sessions',
  announced = '',
  beatMs = 50,
  goneAfterMs = 400,
  now = () => performance.now(),
} = {}) {
  const log = { warn: () => undefined, error: () => undefined }
  const clock = { ahead }
  const replicas = new Replicas({
    repository: store.replicas,
    log,
    beatMs,
    goneAfterMs,
    clock: () => Date.now() + clock.ahead,
  })
  const keys = () => store.signingKeys(purpose)
  const listener = await openListener({ now, shared: { replicas, repository: store.replicas, keys } })
  await replicas.start(announced === '' ? listener.url : announced)
  let isOpen = true
  const stop = async () => {
    if (!isOpen) return
    isOpen = false
    await replicas.stop()
    await listener.server.close()
  }
  open.push({ stop })
  return { ...listener, id: replicas.id, keys, clock, leave: () => replicas.leave(), stop }
}

const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'whoami', arguments: {} } }
const post = (url: string, headers: Readonly<Record<string, string>>, message: object = CALL) =>
  fetch(`${url}/mcp`, { method: 'POST', headers, body: JSON.stringify(message) })
const statusAt = async ({ url }: { url: string }, headers: Readonly<Record<string, string>>): Promise<number> =>
  (await post(url, headers)).status

describe('a session of two replicas', { timeout: TIME_LIMIT_MS }, () => {
  it('is answered by its home, through either', async () => {
    const [one, other] = [await replica(), await replica()]
    const session = await beginSession(`${one.url}/mcp`)
    expect([await statusAt(one, session), await statusAt(other, session)]).toEqual([200, 200])
    expect([one.handler.asked.length, other.handler.asked.length]).toEqual([2, 0])
  })

  it('goes on in the other replica, with its client, when its home is gone', async () => {
    const [one, other] = [await replica(), await replica()]
    const session = await beginSession(`${one.url}/mcp`, { sampling: {} })
    await post(other.url, session, { jsonrpc: '2.0', id: 2, method: 'resources/subscribe', params: { uri: 'x://y' } })
    await post(other.url, session, { jsonrpc: '2.0', id: 3, method: 'logging/setLevel', params: { level: 'error' } })
    await expect.poll(() => store.replicas.beat({ id: other.id, url: other.url, isLeaving: false })).toBeDefined()
    await one.stop()
    expect(await statusAt(other, session)).toBe(200)
    const methods = other.handler.asked.map(({ request }) => request.method)
    expect(methods.toSorted()).toEqual(['logging/setLevel', 'resources/subscribe', 'tools/call'])
    expect(other.handler.asked[0]?.caller).toMatchObject({
      ...{ clientInfo: { name: 'raw' }, clientCapabilities: { sampling: {} }, protocolVersion: '2025-11-25' },
    })
  })

  it('is taken over once, however many requests of it arrive at once, and then found by all', async () => {
    const [one, two, three] = [await replica(), await replica(), await replica()]
    const session = await beginSession(`${one.url}/mcp`)
    await one.stop()
    const statuses = await Promise.all(
      Array.from({ length: 20 }, (_, n) => statusAt(n % 2 === 0 ? two : three, session)),
    )
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect([two.handler.asked.length, three.handler.asked.length].toSorted((a, b) => a - b)).toEqual([0, 20])
  })

  it('stays ended for all replicas, also after its home is gone', async () => {
    const [one, other] = [await replica(), await replica()]
    const session = await beginSession(`${one.url}/mcp`)
    expect((await fetch(`${other.url}/mcp`, { method: 'DELETE', headers: session })).status).toBe(200)
    expect([await statusAt(one, session), await statusAt(other, session)]).toEqual([404, 404])
    await one.stop()
    expect(await statusAt(other, session)).toBe(404)
  })

  it('is not found with another token, at another endpoint, or with a token that was revoked', async () => {
    const [one, other] = [await replica(), await replica()]
    const session = await beginSession(`${one.url}/mcp`)
    expect(await statusAt(other, { ...session, authorization: 'Bearer secret-b' })).toBe(404)
    expect(await statusAt(other, { ...session, authorization: 'Bearer revoked' })).toBe(401)
    await one.stop()
    expect(await statusAt(other, { ...session, authorization: 'Bearer secret-b' })).toBe(404)
    expect(await statusAt(other, { ...session, authorization: 'Bearer revoked' })).toBe(401)
  })

  it('is not found if another key sealed it, in another version, or too long ago', async () => {
    const [one, withOtherKey] = [await replica(), await replica({ purpose: 'another key' })]
    const foreign = await beginSession(`${withOtherKey.url}/mcp`)
    expect(await statusAt(one, foreign)).toBe(404)
    const session = await beginSession(`${one.url}/mcp`)
    const bytes = Buffer.from(session['mcp-session-id'], 'base64url')
    bytes[0] = 0
    expect(await statusAt(one, { ...session, 'mcp-session-id': bytes.toString('base64url') })).toBe(404)
    const principal = { tokenId: 'a' } as Principal
    const begunAt = Date.now() - 8 * 24 * HOUR_MS
    const facts = { homeId: 'gone', transport: 'http' as const, begunAt }
    const old = sealSession(facts, principal, { id: 'default' } as Endpoint, one.keys)
    expect(await statusAt(one, { ...session, 'mcp-session-id': old })).toBe(404)
  })

  it('is of a client on this machine only where the client reached the gateway itself', async () => {
    const [one, other] = [await replica(), await replica()]
    const isLocalAt = async (at: typeof one, headers: Readonly<Record<string, string>>) => {
      expect(await statusAt(at, headers)).toBe(200)
      return at.handler.asked.at(-1)?.caller.isLocal
    }
    const [stays, moves] = [await beginSession(`${one.url}/mcp`), await beginSession(`${one.url}/mcp`)]
    expect(await isLocalAt(one, stays)).toBe(true)
    await one.leave()
    const passedOn = await beginSession(`${one.url}/mcp`)
    expect(await isLocalAt(other, passedOn)).toBe(false)
    await one.stop()
    expect(await isLocalAt(other, stays)).toBe(true)
    expect(await isLocalAt(other, { ...moves, 'x-forwarded-for': '192.0.2.7' })).toBe(false)
  })

  it('goes on though the clocks of the replicas differ by hours', async () => {
    const [one, other] = [await replica({ ahead: 2 * HOUR_MS }), await replica({ ahead: -3 * HOUR_MS })]
    const [first, second] = [await beginSession(`${one.url}/mcp`), await beginSession(`${other.url}/mcp`)]
    expect([await statusAt(other, first), await statusAt(one, second)]).toEqual([200, 200])
    await one.stop()
    expect(await statusAt(other, first)).toBe(200)
  })

  it('survives a home that does not answer: the request ends with an error, and the next one succeeds', async () => {
    const frozen = createServer(() => undefined)
    await new Promise<void>((resolve) => frozen.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(frozen.address() as AddressInfo).port}`
    await store.replicas.beat({ id: 'frozen-home-', url, isLeaving: false })
    const one = await replica()
    const principal = { tokenId: 'a' } as Principal
    const facts = { homeId: 'frozen-home-', transport: 'http' as const, begunAt: Date.now() }
    const id = sealSession(facts, principal, { id: 'default' } as Endpoint, one.keys)
    const session = { ...POLITE, 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' }
    const lost = await post(one.url, session)
    const [message] = (await messagesOf(lost)) as Json[]
    expect([lost.status, message?.['error']['data']['code'], message?.['id']]).toEqual([502, 'REPLICA_LOST', 1])
    expect(await statusAt(one, session)).toBe(200)
    frozen.closeAllConnections()
    frozen.close()
  })

  it('has one answer of a home that answers twice, and none of one that answers when it counts as gone', async () => {
    const answer = (text: string) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { text } })
      return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
    }
    const connections = new Set<Socket>()
    let [asked, isLate] = [0, false]
    const home = createTcpServer((socket) => {
      connections.add(socket.on('error', () => {}))
      socket.on('data', (part) => {
        if (!isLate && part.includes('POST')) socket.write(answer(`answer ${++asked}`) + answer('again'))
      })
    })
    await new Promise<void>((resolve) => home.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(home.address() as AddressInfo).port}`
    const beat = () => store.replicas.beat({ id: 'double-home-', url, isLeaving: false })
    const one = await replica({ beatMs: 50, goneAfterMs: 2_000 })
    const facts = { homeId: 'double-home-', transport: 'http' as const, begunAt: Date.now() }
    const id = sealSession(facts, { tokenId: 'a' } as Principal, { id: 'default' } as Endpoint, one.keys)
    const session = { ...POLITE, 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' }
    const textOf = async () => ((await messagesOf(await post(one.url, session))) as Json[])[0]?.['result']?.['text']
    await beat()
    for (const expected of ['answer 1', 'answer 2', 'answer 3']) expect(await textOf()).toBe(expected)
    isLate = true
    expect((await post(one.url, session)).status).toBe(502)
    for (const socket of connections) socket.write(answer('too late'))
    const [own] = (await messagesOf(await post(one.url, session))) as Json[]
    expect(own?.['result']).toBeDefined()
    expect(own?.['result']['text']).toBeUndefined()
    for (const socket of connections) socket.destroy()
    home.close()
  })
})

/** A stream of HTTP+SSE: its messages so far, where it takes messages, and whether it has ended. */
async function openSse({ url }: { readonly url: string }) {
  const response = await fetch(`${url}/sse`, { headers: { ...POLITE, accept: 'text/event-stream' } })
  const stream = { text: '', hasEnded: false }
  const decoder = new TextDecoder()
  const read = async (): Promise<void> => {
    for await (const part of response.body ?? []) stream.text += decoder.decode(part as Uint8Array, { stream: true })
    stream.hasEnded = true
  }
  const reading = read()
  await expect.poll(() => stream.text).toMatch(/^event: endpoint\ndata: /m)
  const path = /^data: (.*)$/m.exec(stream.text)?.[1] ?? ''
  const tell = async (message: object): Promise<number> =>
    (await fetch(`${url}${path}`, { method: 'POST', headers: POLITE, body: JSON.stringify(message) })).status
  return { stream, tell, ended: reading }
}

describe('streams of HTTP+SSE when their replica stops', { timeout: TIME_LIMIT_MS }, () => {
  it('[U20] end where no message is expected, and connections that a balancer keeps are closed last', async () => {
    const clock = { now: 0 }
    const [leaving] = [await replica({ now: () => clock.now }), await replica()]
    const kept = keptConnection(leaving.url)
    await kept('/healthz')
    const [quiet, busy, pausing] = [await openSse(leaving), await openSse(leaving), await openSse(leaving)]
    clock.now = 11_000
    expect(await busy.tell({ ...CALL, id: 'before' })).toBe(202)
    expect(await pausing.tell({ ...CALL, id: 'before' })).toBe(202)
    const stopping = new AbortController()
    const drained = leaving.server.drain(stopping.signal)
    await quiet.ended
    expect([busy.stream.hasEnded, pausing.stream.hasEnded]).toEqual([false, false])
    expect(await busy.tell({ ...CALL, id: 'after' })).toBe(202)
    await busy.ended
    expect(busy.stream.text).toContain('"id":"after"')
    expect(await busy.tell({ ...CALL, id: 'too late' })).toBe(404)
    clock.now = 22_000
    leaving.server.sweep()
    await pausing.ended
    await drained
    const refusing = leaving.server.refuseConnections(stopping.signal)
    await expect(fetch(`${leaving.url}/healthz`)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } })
    expect(await kept('/healthz')).toMatchObject({ connection: 'close', isReused: true })
    await refusing
  })

  it('wait for no database that does not answer, once the time is over that a stop may take', async () => {
    const [leaving] = [await replica(), await replica()]
    const stopping = new AbortController()
    const locked = Promise.withResolvers<void>()
    const unlock = Promise.withResolvers<void>()
    const busy = store.change(async () => {
      locked.resolve()
      await unlock.promise
    })
    await locked.promise
    const drained = leaving.server.drain(stopping.signal)
    stopping.abort()
    await expect(drained).resolves.toBeUndefined()
    unlock.resolve()
    await busy
  })

  it('end with the time that a stop may take', async () => {
    const clock = { now: 0 }
    const [leaving] = [await replica({ now: () => clock.now }), await replica()]
    const [quiet, busy] = [await openSse(leaving), await openSse(leaving)]
    clock.now = 11_000
    expect(await busy.tell(CALL)).toBe(202)
    const stopping = new AbortController()
    const drained = leaving.server.drain(stopping.signal)
    await quiet.ended
    expect(busy.stream.hasEnded).toBe(false)
    stopping.abort()
    await Promise.all([busy.ended, drained])
  })
})

describe('a request that claims to come from another replica', { timeout: TIME_LIMIT_MS }, () => {
  it('is refused without a signature, with one for another body, token or replica, and after a minute', async () => {
    // One replica announces an address at which requests for it can be seen.
    const seen = Promise.withResolvers<{ hop: string; body: string }>()
    const spy = createServer((req, res) => {
      let body = ''
      req.on('data', (part) => (body += String(part)))
      req.on('end', () => {
        seen.resolve({ hop: String(req.headers['x-tooldex-hop']), body })
        res.end()
      })
    })
    await new Promise<void>((resolve) => spy.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(spy.address() as AddressInfo).port}`
    const never = { beatMs: HOUR_MS, goneAfterMs: HOUR_MS }
    const [one, other] = [await replica({ announced: url, ...never }), await replica(never)]
    const session = await beginSession(`${one.url}/mcp`)
    expect(await statusAt(one, { ...session, 'x-tooldex-hop': 'x' })).toBe(403)
    await post(other.url, session)
    const { hop, body } = await seen.promise
    const headers = { ...session, 'x-tooldex-hop': hop }
    const send = (text: string) => fetch(`${one.url}/mcp`, { method: 'POST', headers, body: text })
    expect((await send(body)).status).toBe(200)
    expect((await send(body.replace('whoami', 'echo'))).status).toBe(400)
    expect((await post(one.url, { ...headers, authorization: 'Bearer secret-b' })).status).toBe(403)
    const elsewhere = await replica()
    expect((await post(elsewhere.url, headers)).status).toBe(421)
    one.clock.ahead = HOUR_MS
    expect((await send(body)).status).toBe(403)
    spy.close()
  })
})
