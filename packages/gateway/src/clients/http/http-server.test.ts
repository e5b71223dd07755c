import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { GatewayError } from '../../errors.ts'
import type { Principal } from '../../model/principal.ts'
import type { Access } from './guards.ts'
import { beginSession, ENDPOINTS, messagesOf, modernRequest, openListener, POLITE } from './listener.case.ts'
import type { JsonObject } from '@tooldex/http-kit/json'

describe('The routes', () => {
  it('need a token, except those named here', async () => {
    await using gateway = await openListener()
    const unknown = (await (await fetch(`${gateway.url}/nowhere`)).json()) as { error: { data: { paths: string[] } } }
    const open: string[] = []
    for (const path of unknown.error.data.paths) {
      const url = gateway.url + path.replace('<endpoint>', 'team')
      const allowed = (await fetch(url, { method: 'PATCH' })).headers.get('allow') ?? ''
      for (const method of allowed.split(', ')) {
        for (const headers of [{}, { authorization: 'Bearer wrong' }]) {
          const response = await fetch(url, { method, headers: { ...headers, 'x-forwarded-for': '203.0.113.1' } })
          await response.text()
          if (response.status !== 401) open.push(`${method} ${path}`)
        }
      }
    }
    expect([...new Set(open)]).toEqual(['GET /healthz', 'GET /readyz'])
    expect(gateway.handler.asked).toEqual([])
  })

  it('lead to the endpoint that the path names', async () => {
    await using gateway = await openListener()
    for (const [path, endpoint] of [
      ['/mcp', 'default'],
      ['/default/mcp', 'default'],
      ['/team/mcp?x=1', 'team'],
      ['/%74eam/mcp', 'team'],
    ] as const) {
      const { headers, message } = modernRequest('tools/call', { name: 'whoami' })
      const response = await fetch(gateway.url + path, { method: 'POST', headers, body: JSON.stringify(message) })
      expect(JSON.stringify(await messagesOf(response))).toContain(`\\"endpoint\\":\\"${endpoint}\\"`)
    }
  })
})

describe('Clients side by side', () => {
  it('each get their own answers, though their request ids are the same', async () => {
    await using gateway = await openListener()
    const ask = async (nonce: string, id: number, headers?: Record<string, string>) => {
      const params = { name: 'echo', arguments: { text: nonce } }
      const modern = modernRequest('tools/call', params)
      const message: JsonObject = headers
        ? { jsonrpc: '2.0', id, method: 'tools/call', params }
        : { ...modern.message, id }
      const init = { method: 'POST', headers: headers ?? modern.headers, body: JSON.stringify(message) }
      const [told] = await messagesOf(await fetch(`${gateway.url}/mcp`, init))
      return told?.['id'] === id && JSON.stringify(told).includes(`"${nonce}"`)
    }
    const clients = Array.from({ length: 40 }, async (_, client) => {
      const headers = client % 2 === 0 ? await beginSession(`${gateway.url}/mcp`) : undefined
      const answers = []
      for (let id = 0; id < 25; id += 5) {
        const burst = Array.from({ length: 5 }, (__, at) => ask(`nonce-${client}-${id + at}`, id + at, headers))
        answers.push(...(await Promise.all(burst)))
      }
      return answers
    })
    const answers = (await Promise.all(clients)).flat()
    expect(answers).toHaveLength(1_000)
    expect(answers).not.toContain(false)
  }, 20_000)

  it('answer only their own questions', async () => {
    await using gateway = await openListener()
    const [one, other] = [
      await beginSession(`${gateway.url}/mcp`, { elicitation: {} }),
      await beginSession(`${gateway.url}/mcp`),
    ]
    const send = (headers: Record<string, string>, message: JsonObject) =>
      fetch(`${gateway.url}/mcp`, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) })
    const call = await send(one, { id: 1, method: 'tools/call', params: { name: 'ask' } })
    const reader = call.body?.getReader()
    const question = Buffer.from((await reader?.read())?.value ?? []).toString()
    const id = /"id":"([^"]+)"/.exec(question)?.[1] ?? ''
    await send(other, { id, result: { action: 'accept', content: { name: 'Mallory' } } })
    await send(one, { id, result: { action: 'accept', content: { name: 'Alice' } } })
    const answer = Buffer.from((await reader?.read())?.value ?? []).toString()
    expect(answer).toContain('Alice')
    expect(answer).not.toContain('Mallory')
  })
})

const agent = new Agent({ keepAlive: true, maxSockets: 1 })
afterEach(() => agent.destroy())

/** Sends a list request on the same connection as before. */
function listAgain(port: number): Promise<number> {
  const { headers, message } = modernRequest('tools/list')
  const body = JSON.stringify(message)
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', path: '/mcp', method: 'POST', agent, headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
    })
    sent.setHeader('content-length', Buffer.byteLength(body))
    sent.on('error', reject).end(body)
  })
}

describe('The same request again on one connection', () => {
  it('is refused when its token is no longer valid, and when its endpoint is gone', async () => {
    let [isValid, isThere] = [true, true]
    const principal: Principal = { tokenId: 'a', name: 'A', readOnly: false }
    const access: Access = {
      authenticate: () => {
        if (isValid) return principal
        throw new GatewayError('TOKEN_INVALID')
      },
      endpoint: (id) => (isThere ? ENDPOINTS.find((each) => each.id === id) : undefined),
    }
    await using gateway = await openListener({ access })
    expect([await listAgain(gateway.port), await listAgain(gateway.port)]).toEqual([200, 200])
    isValid = false
    expect(await listAgain(gateway.port)).toBe(401)
    isValid = true
    expect(await listAgain(gateway.port)).toBe(200)
    isThere = false
    expect(await listAgain(gateway.port)).toBe(404)
  })

  it('is counted once each time, and refused at the limit', async () => {
    const taken: string[] = []
    const limits = {
      address: (address: string) => {
        taken.push(address)
        if (taken.length > 4) throw new GatewayError('RATE_LIMITED', { retryAfter: 7 })
      },
      token: (tokenId: string) => void taken.push(tokenId),
    }
    await using gateway = await openListener({ limits })
    const statuses = [await listAgain(gateway.port), await listAgain(gateway.port), await listAgain(gateway.port)]
    expect(statuses).toEqual([200, 200, 429])
    expect(taken).toEqual(['127.0.0.1', 'a', '127.0.0.1', 'a', '127.0.0.1'])
  })
})

describe('Closing', () => {
  it('lets an open request finish, ends streams, and accepts no new connections', async () => {
    const gateway = await openListener()
    const headers = await beginSession(`${gateway.url}/mcp`)
    const stream = await fetch(`${gateway.url}/mcp`, { headers })
    const { headers: modern, message } = modernRequest('tools/call', { name: 'progress' }, { progressToken: 1 })
    const call = await fetch(`${gateway.url}/mcp`, { method: 'POST', headers: modern, body: JSON.stringify(message) })
    const closed = gateway.server.close()
    gateway.handler.finishProgress()
    expect((await messagesOf(call)).at(-1)).toMatchObject({ id: 7, result: { content: [{ text: 'done' }] } })
    expect(await stream.text()).toBe('')
    await closed
    await expect(fetch(`${gateway.url}/healthz`)).rejects.toThrow(/fetch failed/)
  })

  it('waits for open requests, but not for ever', async () => {
    const gateway = await openListener()
    const isOpen = gateway.handler.waiting('x')
    const { headers, message } = modernRequest('tools/call', { name: 'wait', arguments: { text: 'x' } })
    const call = fetch(`${gateway.url}/mcp`, { method: 'POST', headers, body: JSON.stringify(message) }).catch(
      (error: Error) => error.message,
    )
    await isOpen
    await gateway.server.close()
    expect(await call).toBe('fetch failed')
    await expect.poll(() => gateway.handler.aborted).toEqual(['x'])
  })

  it('does not wait for silent connections', async () => {
    const gateway = await openListener()
    const silent = connect(gateway.port, '127.0.0.1')
    await new Promise((resolve) => silent.once('connect', resolve))
    await expect(gateway.server.close()).resolves.toBeUndefined()
    silent.destroy()
  })

  it('reports why it cannot listen', async () => {
    await using gateway = await openListener()
    await expect(openListener({ port: gateway.port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })
})

describe('A stream that the client does not read', () => {
  it('does not fill memory with notifications', async () => {
    await using gateway = await openListener({
      handler: {
        describe: () => ({ capabilities: { tools: {} }, serverInfo: { name: 'flood', version: '1' } }),
        handle: async (_, caller) => {
          const params = { progressToken: 1, message: 'x'.repeat(10_000) }
          for (let progress = 0; progress < 2_000; progress++)
            caller.notify({ method: 'notifications/progress', params: { ...params, progress } })
          return { content: [] }
        },
        notified: () => undefined,
        sessionClosed: () => undefined,
        addedTo: () => [],
        restoreAdded: () => undefined,
      },
    })
    const { message, headers } = modernRequest('tools/call', { name: 'flood' })
    const response = await fetch(`${gateway.url}/mcp`, {
      method: 'POST',
      headers: { ...POLITE, ...headers },
      body: JSON.stringify(message),
    })
    const messages = await messagesOf(response)
    expect(messages.at(-1)).toMatchObject({ id: 7, result: { content: [] } })
    expect(messages.length).toBeLessThan(500)
  })
})
