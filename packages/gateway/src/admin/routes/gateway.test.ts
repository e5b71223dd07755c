import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AuditEntry } from '../../model/audit.ts'
import { callOf } from '../../store/audit/audit-samples.case.ts'
import { type AdminKit, adminKit } from '../admin-kit.case.ts'
import { csvCell } from './audit-export.ts'

const FILE = { mcpServers: { notes: { command: 'notes' } } }

let kit: AdminKit
beforeEach(async () => {
  kit = await adminKit({ file: FILE })
})
afterEach(() => kit.stop())

const call = (over: Partial<AuditEntry>): AuditEntry =>
  ({
    ...{
      kind: 'call',
      at: kit.clock.now,
      requestId: 'r',
      tokenId: 't',
      projectId: 'p',
      endpointId: 'e',
      durationMs: 5,
    },
    ...{ outcome: 'ok', serverId: 'notes', toolKey: 'notes:add', requestBytes: 1, resultBytes: 2 },
    ...over,
  }) as AuditEntry
const search: Partial<AuditEntry> = { kind: 'search', queryCount: 1, resultKeys: ['notes:add'], answeredBy: 'bm25' }

describe('the audit log', () => {
  beforeEach(async () => {
    const { now } = kit.clock
    await kit.store.audit.append([
      call({ at: now - 3_000, requestId: '1' }),
      call({ at: now - 2_000, requestId: '2', outcome: 'SERVER_TIMEOUT', toolKey: 'notes:=cmd()' }),
      call({ ...search, at: now - 1_000, requestId: '3', tokenId: 'u' }),
    ])
  })

  it('is paged and filtered, newest first', async () => {
    const ids = async (query: object) => (await kit.ask('listAudit', { query })).items.map(({ requestId }) => requestId)
    expect(await ids({})).toEqual(['3', '2', '1'])
    expect(await ids({ kind: 'call' })).toEqual(['2', '1'])
    expect(await ids({ outcome: 'error' })).toEqual(['2'])
    expect(await ids({ token: 'u' })).toEqual(['3'])
    expect(await ids({ from: String(kit.clock.now - 2_000), until: String(kit.clock.now - 1_000) })).toEqual(['2'])
    const first = await kit.ask('listAudit', { query: { limit: '2' } })
    expect(await ids({ limit: '2', cursor: first.nextCursor })).toEqual(['1'])
    const foreign = await kit.problem('listAudit', { query: { limit: '2', kind: 'call', cursor: first.nextCursor } })
    expect(foreign).toMatchObject({ code: 'REQUEST_INVALID', status: 400 })
    expect(await kit.problem('listAudit', { query: { cursor: 'nonsense' } })).toMatchObject({ code: 'REQUEST_INVALID' })
    expect(await kit.problem('listAudit', { query: { from: '2', until: '1' } })).toMatchObject({
      problems: [{ path: 'until' }],
    })
    expect(await kit.problem('listAudit', { query: { from: 'soon' } })).toMatchObject({ problems: [{ path: 'from' }] })
  })

  it('shows the current names of tokens, projects and endpoints, and marks removed ones', async () => {
    const { token } = await kit.ask('createToken', { body: { name: 'Laptop' } })
    await kit.ask('createProject', { body: { id: 'work', name: 'My work', servers: ['notes'] } })
    await kit.ask('createEndpoint', { body: { id: 'desk', project: 'work' } })
    const at = kit.clock.now
    const there = { at, tokenId: token.id, projectId: 'work', endpointId: 'desk' }
    await kit.store.audit.append([
      call({ ...there, requestId: 'a' }),
      call({ ...there, requestId: 'b', tokenId: 'local', projectId: 'default', endpointId: 'admin', serverId: '' }),
      call({ ...there, requestId: 'c', tokenId: 'jwt:ada', endpointId: 'local.default', serverId: 'gone' }),
      call({ ...there, requestId: 'd', tokenId: 'anonymous' }),
    ])
    const read = async () => {
      const { items } = await kit.ask('listAudit', { query: { from: at } })
      return new Map(items.map((entry) => [entry.requestId, entry]))
    }
    const before = await read()
    expect(before.get('a')).toMatchObject({ tokenId: token.id, tokenName: 'Laptop', projectName: 'My work' })
    expect(before.get('a')).not.toHaveProperty('removed')
    expect(before.get('b')).toMatchObject({ tokenName: 'local', projectName: 'Default' })
    expect(before.get('b')).not.toHaveProperty('removed')
    expect(before.get('c')).toMatchObject({ tokenName: 'ada', removed: ['server'] })
    expect(before.get('d')).toMatchObject({ tokenName: 'anonymous' })
    await kit.ask('changeToken', { params: { token: token.id }, body: { name: 'Desktop' } })
    expect((await read()).get('a')).toMatchObject({ tokenName: 'Desktop' })
    await kit.ask('revokeToken', { params: { token: token.id } })
    await kit.ask('removeProject', { params: { project: 'work' } })
    const after = (await read()).get('a')
    expect(after).toMatchObject({ tokenId: token.id, removed: ['token', 'project', 'endpoint'] })
    expect([after?.tokenName, after?.projectName]).toEqual([undefined, undefined])
  })

  it('breaks an export off when its reader loses access', async () => {
    const leaving = new AbortController()
    const response = await kit.send('exportAudit', { signal: leaving.signal })
    leaving.abort()
    await expect(response.text()).rejects.toThrow('aborted')
  })

  it('is exported as JSON lines and CSV, oldest first', async () => {
    const jsonl = await kit.send('exportAudit', { query: { kind: 'call' } })
    expect(jsonl.headers.get('content-type')).toBe('application/jsonl')
    const lines = (await jsonl.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditEntry)
    expect(lines.map(({ kind }) => String(kind)).filter((_, at) => at === 0 || at === 3)).toEqual(['export', 'end'])
    expect(lines.slice(1, -1).map(({ requestId }) => requestId)).toEqual(['1', '2'])
    const csv = await (await kit.send('exportAudit', { query: { format: 'csv' } })).text()
    const rows = csv.trimEnd().split('\r\n')
    expect(rows[0]).toMatch(/^id,at,kind,outcome/)
    expect(rows).toHaveLength(4)
    expect(rows[3]).toContain('notes:add')
  })

  it('cannot inject formulas into a spreadsheet', () => {
    expect(csvCell('=cmd|x')).toBe("'=cmd|x")
    expect(csvCell('a"b,c')).toBe('"a""b,c"')
    expect(csvCell(-5)).toBe('-5')
    expect(csvCell(undefined)).toBe('')
  })

  it('is summed in a limited number of steps', async () => {
    const { items } = await kit.ask('sumAudit', { query: { stepMs: '3600000' } })
    const total = items.reduce((sum, each) => sum + each.calls + each.searches, 0)
    expect([total, items.reduce((sum, { errors }) => sum + errors, 0)]).toEqual([3, 1])
    expect(await kit.problem('sumAudit', { query: { from: '0', stepMs: '1000' } })).toMatchObject({
      problems: [{ path: 'stepMs' }],
    })
  })
})

/** Events of a stream as they come. */
async function* eventsOf(response: Response): AsyncGenerator<{ event: string; data: unknown }> {
  let text = ''
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const [first = '', second = ''] = text.slice(0, end).split('\n')
      text = text.slice(end + 2)
      if (first.startsWith('event: ')) yield { event: first.slice(7), data: JSON.parse(second.slice(6)) }
    }
  }
}

describe('live streams', () => {
  it('send audit entries that match, and end with their reader', async () => {
    const leaving = new AbortController()
    const response = await kit.send('followAudit', { query: { outcome: 'error' }, signal: leaving.signal })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const events = eventsOf(response)
    const next = events.next()
    kit.parts.live?.auditFeed.record(call({ requestId: 'fine' }))
    kit.parts.live?.auditFeed.record(call({ requestId: 'bad', outcome: 'INTERNAL' }))
    expect((await next).value).toMatchObject({ event: 'entry', data: { requestId: 'bad' } })
    leaving.abort()
    expect((await events.next()).done).toBe(true)
  })

  it('send what changed, so that a page can reload it', async () => {
    const leaving = new AbortController()
    const events = eventsOf(await kit.send('followEvents', { signal: leaving.signal }))
    const next = events.next()
    await kit.ask('createServer', { body: { id: 'x', command: 'x' } })
    expect((await next).value).toEqual({ event: 'change', data: { what: 'configuration' } })
    kit.pool.get('notes')?.become('failed')
    expect((await events.next()).value).toMatchObject({ event: 'change', data: { what: 'server', id: 'notes' } })
    leaving.abort()
  })

  it('send the log of a server, existing lines first', async () => {
    const lines = [
      { at: 1, line: 'one' },
      { at: 2, line: 'two' },
    ]
    const server = kit.pool.get('notes')
    if (server !== undefined) server.logs = () => lines as []
    const ask = { params: { server: 'notes' }, query: { lines: '1' } }
    expect(await kit.ask('serverLogs', ask)).toEqual({ items: [{ at: 2, line: 'two' }] })
    const leaving = new AbortController()
    const headers = { accept: 'text/event-stream' }
    const events = eventsOf(await kit.send('serverLogs', { ...ask, headers, signal: leaving.signal }))
    expect((await events.next()).value).toEqual({ event: 'line', data: { at: 2, line: 'two' } })
    lines.push({ at: 3, line: 'three' })
    expect((await events.next()).value).toEqual({ event: 'line', data: { at: 3, line: 'three' } })
    leaving.abort()
  })
})

describe('the gateway as a whole', () => {
  it('names a share of failures above 2 %, of the last hour or of the last day, and not of a few requests', async () => {
    const failuresOf = async () => (await kit.ask('getOverview')).troubles.filter(({ about }) => about === 'requests')
    const calls = (count: number, outcome: string, ago: number) =>
      kit.store.audit.append(Array.from({ length: count }, () => callOf({ at: kit.clock.now - ago, outcome })))
    await calls(2, 'SERVER_FAILED', 7_200_000)
    expect(await failuresOf()).toEqual([])
    await calls(40, 'ok', 7_200_000)
    expect(await failuresOf()).toMatchObject([
      { page: 'failures', within: 'day', message: expect.stringContaining('4.8% of requests failed') },
    ])
    await calls(20_000, 'ok', 7_200_000)
    expect(await failuresOf()).toEqual([])
    await calls(30, 'SERVER_FAILED', 30_000)
    expect(await failuresOf()).toMatchObject([{ within: 'hour', message: expect.stringContaining('30 of 30') }])
  })

  it('names audit entries that the database does not take', async () => {
    let backlog = { waiting: 200, lost: 0 }
    Object.assign(kit.parts.live ?? {}, { auditBacklog: () => backlog })
    const named = async () => (await kit.ask('getOverview')).troubles.map(({ about }) => about)
    expect(await named()).not.toContain('audit log')
    backlog = { waiting: 0, lost: 3 }
    expect(await named()).toContain('audit log')
    backlog = { waiting: 2_001, lost: 0 }
    expect(await named()).toContain('audit log')
  })

  it('has an overview with problems and remedies', async () => {
    await kit.offer('notes', [{ name: 'add' }])
    await kit.store.audit.append([call({}), call({ ...search })])
    kit.pool.get('notes')?.become('failed')
    const overview = await kit.ask('getOverview')
    expect(overview).toMatchObject({
      version: '1.2.3',
      servers: { all: 1, byState: { failed: 1 } },
      tools: 1,
      projects: 1,
      endpoints: 1,
      lastDay: { searches: 1, calls: 1, errors: 0 },
      troubles: [{ about: 'server notes', remedy: expect.stringContaining('log') }],
    })
  })

  it('[R30] shows the state of the Search API, and a remedy if it does not answer', async () => {
    expect(await kit.ask('getOverview')).not.toHaveProperty('searchApi')
    const health = { host: 'search.example', state: 'open', lastError: { at: 7, reason: 'it refused the connection' } }
    Object.assign(kit.parts.live ?? {}, { searchApi: () => health })
    const { searchApi, troubles } = await kit.ask('getOverview')
    expect(searchApi).toEqual(health)
    expect(troubles).toMatchObject([
      { about: 'Search API search.example', message: 'it refused the connection', at: 7 },
    ])
  })

  it('has settings that override the file', async () => {
    expect(await kit.ask('getSettings')).toEqual({
      settings: { auditKeepDays: 90, auditMaxEntries: 5_000_000, trust: 'standard' },
      from: { auditKeepDays: 'file', auditMaxEntries: 'file', trust: 'file' },
      revision: expect.any(String),
    })
    const { revision } = await kit.ask('getSettings')
    const changed = await kit.ask('changeSettings', { body: { auditKeepDays: 7 }, headers: { 'if-match': revision } })
    const late = { body: { auditKeepDays: 8 }, headers: { 'if-match': revision } }
    expect(await kit.problem('changeSettings', late)).toMatchObject({ code: 'REVISION_CONFLICT', status: 412 })
    expect(changed).toMatchObject({ settings: { auditKeepDays: 7 }, from: { auditKeepDays: 'store' } })
    const back = await kit.ask('changeSettings', { body: { unset: ['auditKeepDays'] } })
    expect(back).toMatchObject({ settings: { auditKeepDays: 90 }, from: { auditKeepDays: 'file' } })
    for (const body of [{ auditKeepDays: 0 }, { auditKeepDays: '7' }, { keepDays: 7 }, 7, null, []]) {
      expect(await kit.problem('changeSettings', { body })).toMatchObject({ code: 'REQUEST_INVALID' })
    }
  })

  it('reports the health of its store', async () => {
    expect(await kit.ask('getHealth')).toMatchObject({ status: 'ok', store: { kind: 'sqlite', ok: true } })
  })

  it('serves its OpenAPI document', async () => {
    expect(await kit.ask('getOpenApi')).toMatchObject({ openapi: '3.1.0', info: { version: '1.2.3' } })
  })

  it('can be managed while no gateway runs, except for live data', async () => {
    const quiet = await adminKit({ file: FILE, isLive: false })
    await quiet.ask('createServer', { body: { id: 'x', command: 'x' } })
    await quiet.ask('createProject', { body: { id: 'p', servers: ['x'] } })
    for (const route of [
      'listServers',
      'listProjects',
      'listEndpoints',
      'listTokens',
      'listTools',
      'getOverview',
    ] as const) {
      await quiet.ask(route)
    }
    const params = { server: 'x', tool: 'x:y', project: 'p' }
    for (const route of ['restartServer', 'loginServer', 'getSavings', 'followAudit', 'createSignInCode'] as const) {
      expect(await quiet.problem(route, { params })).toMatchObject({ code: 'NOT_RUNNING', status: 409 })
    }
    for (const [route, body] of [
      ['callTool', { project: 'p' }],
      ['searchTools', { query: 'x' }],
      ['previewProject', {}],
    ] as const) {
      expect(await quiet.problem(route, { params, body })).toMatchObject({ code: 'NOT_RUNNING' })
    }
    await quiet.stop()
  })
})

describe('an invalid request', () => {
  it('gets a problem response: unknown paths, methods, bodies and keys', async () => {
    const raw = async (method: string, path: string, init: RequestInit = {}) => {
      const response = await kit.api(new Request(`http://x/api/v1${path}`, { method, ...init }), {
        tokenId: 'a',
        name: 'a',
        role: 'administrator',
        via: 'token',
        isFresh: true,
      })
      return [response.status, ((await response.json()) as { code: string }).code]
    }
    const json = { 'content-type': 'application/json' }
    expect(await raw('GET', '/nothing')).toEqual([404, 'PATH_NOT_FOUND'])
    expect(await raw('GET', '/servers/a/b/c/d')).toEqual([404, 'PATH_NOT_FOUND'])
    expect(await raw('PUT', '/servers')).toEqual([405, 'METHOD_NOT_ALLOWED'])
    expect(await raw('POST', '/servers', { body: '{}' })).toEqual([415, 'REQUEST_NOT_JSON'])
    expect(await raw('POST', '/servers', { body: '{', headers: json })).toEqual([400, 'REQUEST_INVALID'])
    expect(await raw('POST', '/servers', { body: '['.repeat(100) + ']'.repeat(100), headers: json })).toEqual([
      400,
      'REQUEST_INVALID',
    ])
    expect(await raw('POST', '/servers', { body: `"${'x'.repeat(4 * 1024 * 1024)}"`, headers: json })).toEqual([
      413,
      'REQUEST_TOO_LARGE',
    ])
    expect(await raw('GET', '/servers?x=1')).toEqual([400, 'REQUEST_INVALID'])
    expect(await raw('GET', '/tools?limit=1&limit=2')).toEqual([400, 'REQUEST_INVALID'])
  })
})
