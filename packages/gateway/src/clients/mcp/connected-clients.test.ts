import { describe, expect, it } from 'vitest'
import { type ClientEvent, ConnectedClients, type Timing } from './connected-clients.ts'
import { ANONYMOUS } from '../http/guards.ts'
import { beginSession, ENDPOINTS, modernRequest, notifierAt, openListener, uriAt } from '../http/listener.case.ts'
import type { Recipient } from './requests/request-handler.ts'
import type { JsonObject } from '@tooldex/http-kit/json'

/** A clock that moves when told to. */
class FakeTime implements Timing {
  #now = 0
  readonly #timers = new Set<{ at: number; run: () => void }>()
  readonly now = () => this.#now
  readonly after = (ms: number, run: () => void) => {
    const timer = { at: this.#now + ms, run }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }

  get pending(): number {
    return this.#timers.size
  }

  pass(ms: number): void {
    const until = this.#now + ms
    for (;;) {
      const next = [...this.#timers].filter((timer) => timer.at <= until).sort((a, b) => a.at - b.at)[0]
      if (next === undefined) break
      this.#timers.delete(next)
      this.#now = next.at
      next.run()
    }
    this.#now = until
  }
}

function setUp() {
  const time = new FakeTime()
  const lost = new Set<string>()
  const clients = new ConnectedClients(time)
  const listChanged = notifierAt(clients)
  const join = (id: string, endpointId: string, watched: string[] = []) => {
    const heard: ClientEvent[] = []
    const leave = clients.add({
      id,
      rights: () => (lost.has(id) ? undefined : recipientAt(endpointId)),
      watches: (uri) => watched.includes(uri),
      deliver: (event) => heard.push(event),
    })
    return { heard, leave }
  }
  return { time, clients, listChanged, join, lost }
}

function recipientAt(id: string): Recipient {
  const [endpoint] = ENDPOINTS
  if (endpoint === undefined) throw new Error('No endpoint')
  return { principal: ANONYMOUS, endpoint: { ...endpoint, id } }
}

describe('ConnectedClients', () => {
  it('notifies clients of the endpoints that changed, and no others', () => {
    const { join, listChanged } = setUp()
    const [one, other] = [join('1', 'team'), join('2', 'default')]
    listChanged('tools', 'team')
    listChanged('prompts', 'team')
    listChanged('resources', 'gone')
    expect(one.heard).toEqual([{ kind: 'tools' }, { kind: 'prompts' }])
    expect(other.heard).toEqual([])
  })

  it('notifies of the first change at once, then at most once a second, and never loses the last', () => {
    const { time, join, listChanged } = setUp()
    const { heard } = join('1', 'e')
    for (let count = 0; count < 5_000; count++) {
      listChanged('tools', 'e')
      time.pass(1)
    }
    expect(heard.length).toBeLessThanOrEqual(6)
    const before = heard.length
    listChanged('tools', 'e')
    time.pass(1_000)
    expect(heard.length).toBe(before + 1)
    time.pass(5_000)
    expect(time.pending).toBe(0)
    listChanged('tools', 'e')
    expect(heard.length).toBe(before + 2)
  })

  it('notifies of a change in the quiet time when it is over', () => {
    const { time, join, listChanged } = setUp()
    const { heard } = join('1', 'e')
    listChanged('tools', 'e')
    time.pass(1)
    listChanged('tools', 'e')
    time.pass(998)
    expect(heard).toHaveLength(1)
    time.pass(1)
    expect(heard).toHaveLength(2)
  })

  it('paces each list on its own', () => {
    const { join, listChanged } = setUp()
    const { heard } = join('1', 'e')
    listChanged('tools', 'e')
    listChanged('resources', 'e')
    expect(heard).toHaveLength(2)
  })

  it('notifies subscribers of a resource, or the named sessions', () => {
    const { clients, join } = setUp()
    const [watching, idle, elsewhere] = [join('1', 'e', ['x:1']), join('2', 'e'), join('3', 'f', ['x:1'])]
    clients.resourceUpdated(uriAt('e', 'x:1'))
    clients.resourceUpdated(uriAt('e', 'x:2'), '2')
    clients.resourceUpdated(uriAt('e', 'x:2'), '3')
    expect(watching.heard).toEqual([{ kind: 'updated', uri: 'x:1' }])
    expect(idle.heard).toEqual([{ kind: 'updated', uri: 'x:2' }])
    expect(elsewhere.heard).toEqual([])
  })

  it('sends no notification to a client without rights, not even of pending changes', () => {
    const { time, clients, join, lost, listChanged } = setUp()
    const { heard } = join('1', 'e', ['x:1'])
    listChanged('tools', 'e')
    listChanged('tools', 'e')
    lost.add('1')
    listChanged('prompts', 'e')
    clients.resourceUpdated(uriAt('e', 'x:1'))
    time.pass(9_000)
    expect(heard).toEqual([{ kind: 'tools' }])
  })

  it('does not notify a client that left, not even of pending changes', () => {
    const { time, join, listChanged } = setUp()
    const { heard, leave } = join('1', 'e')
    listChanged('tools', 'e')
    listChanged('tools', 'e')
    leave()
    leave()
    listChanged('tools', 'e')
    time.pass(9_000)
    expect(heard).toHaveLength(1)
    expect(time.pending).toBe(0)
  })
})

/** Reads messages off a stream as they come. */
async function* eventsOf(response: Response): AsyncGenerator<JsonObject> {
  let unread = ''
  for await (const chunk of response.body ?? []) {
    unread += Buffer.from(chunk).toString()
    const events = unread.split('\n\n')
    unread = events.pop() ?? ''
    for (const event of events) {
      const data = event.split('\n').find((line) => line.startsWith('data: '))
      if (data !== undefined) yield JSON.parse(data.slice('data: '.length)) as JsonObject
    }
  }
}

describe('subscriptions/listen', () => {
  const listen = (url: string, notifications: JsonObject, path = '/mcp') => {
    const { headers, message } = modernRequest('subscriptions/listen', { notifications })
    return fetch(url + path, { method: 'POST', headers, body: JSON.stringify(message) })
  }

  it('acknowledges first, then sends the requested notifications', async () => {
    await using gateway = await openListener()
    const events = eventsOf(await listen(gateway.url, { toolsListChanged: true }))
    expect((await events.next()).value).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { toolsListChanged: true } },
    })
    gateway.listChanged('prompts', 'default')
    gateway.listChanged('tools', 'team')
    gateway.listChanged('tools', 'default')
    expect((await events.next()).value).toMatchObject({
      method: 'notifications/tools/list_changed',
      params: { _meta: { 'io.modelcontextprotocol/subscriptionId': 7 } },
    })
    await events.return(undefined)
  })

  it('subscribes to the resources for as long as the stream is open', async () => {
    await using gateway = await openListener()
    const events = eventsOf(await listen(gateway.url, { resourceSubscriptions: ['x:1'] }))
    await events.next()
    const asked = gateway.handler.asked.at(-1)
    expect(asked?.request).toEqual({ method: 'resources/subscribe', params: { uri: 'x:1' } })
    const id = asked?.caller.sessionId ?? ''
    gateway.server.notifier.resourceUpdated(uriAt('default', 'x:2'), id)
    gateway.server.notifier.resourceUpdated(uriAt('default', 'x:1'), id)
    expect((await events.next()).value).toMatchObject({
      method: 'notifications/resources/updated',
      params: { uri: 'x:1' },
    })
    gateway.server.notifier.resourceUpdated(uriAt('default', 'x:3'))
    await gateway.server.close()
    expect((await events.next()).value).toMatchObject({ id: 7, result: { resultType: 'complete' } })
    expect(gateway.handler.closedSessions).toContain(id)
  })

  it('ends when its token is no longer valid', async () => {
    let isValid = true
    await using gateway = await openListener({ rightsNow: (client) => (isValid ? client : undefined) })
    const events = eventsOf(await listen(gateway.url, { toolsListChanged: true }))
    await events.next()
    isValid = false
    gateway.server.sweep()
    expect((await events.next()).value).toMatchObject({ id: 7, result: {} })
    expect((await events.next()).done).toBe(true)
  })

  it('is refused beyond the limit', async () => {
    await using gateway = await openListener({ listenLimits: { perToken: 1, total: 9 } })
    const first = eventsOf(await listen(gateway.url, { toolsListChanged: true }))
    await first.next()
    expect(await (await listen(gateway.url, { toolsListChanged: true })).json()).toMatchObject({
      error: { code: -32603 },
    })
    await first.return(undefined)
  })

  it('must name what to listen for', async () => {
    await using gateway = await openListener()
    const { headers, message } = modernRequest('subscriptions/listen')
    const response = await fetch(`${gateway.url}/mcp`, { method: 'POST', headers, body: JSON.stringify(message) })
    expect(await response.json()).toMatchObject({ error: { code: -32602 } })
  })
})

describe('A session', () => {
  it('is notified of the resources that it subscribed to', async () => {
    await using gateway = await openListener()
    const headers = await beginSession(`${gateway.url}/mcp`)
    const events = eventsOf(await fetch(`${gateway.url}/mcp`, { headers }))
    const send = async (id: number, method: string, uri: string) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id, method, params: { uri } })
      await (await fetch(`${gateway.url}/mcp`, { method: 'POST', headers, body })).text()
    }
    await send(1, 'resources/subscribe', 'x:1')
    await send(2, 'resources/subscribe', 'x:2')
    await send(3, 'resources/unsubscribe', 'x:1')
    gateway.server.notifier.resourceUpdated(uriAt('default', 'x:1'))
    gateway.server.notifier.resourceUpdated(uriAt('default', 'x:2'))
    expect((await events.next()).value).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/resources/updated',
      params: { uri: 'x:2' },
    })
    await events.return(undefined)
  })
})
