// MCP, the admin API and the console share one port and must not weaken each other.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type AdminRoute, adminRoutes } from '@tooldex/contract/admin'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AdminAccess } from '../../admin/access/admin-access.ts'
import { type AdminKit, adminKit } from '../../admin/admin-kit.case.ts'
import { AdminEntry } from '../../admin/api/admin-entry.ts'
import { consoleArea, leadToConsole } from './console-files.ts'
import { FakeHandler, LogLines } from './listener.case.ts'
import { HttpServer } from './http-server.ts'
import { sendPieces } from './raw-http.case.ts'
import { RequestAccess } from './request-access.ts'

/** The machine may be busy with something else. */
const PATIENT = { timeout: 60_000 }

let kit: AdminKit
let http: HttpServer
let url: string
let port: number
let folder: string
let secret: string
const handler = new FakeHandler()
const log = new LogLines()
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'console-'))
  await mkdir(join(folder, 'app', 'assets'), { recursive: true })
  await writeFile(join(folder, 'outside.txt'), 'OUTSIDE')
  await writeFile(join(folder, 'app', 'index.html'), '<!doctype html><title>Console</title>')
  await writeFile(join(folder, 'app', 'assets', 'index-1.js'), 'export {}')
  kit = await adminKit({ file: { mcpServers: { notes: { command: 'notes' } } } })
  secret = (await kit.ask('createToken', { body: { name: 'root', kind: 'admin' } })).secret
  const { sessions, now } = kit.parts
  const tokens = () => kit.store.current().tokens
  const access = new AdminAccess({
    tokens,
    isClientToken: (hash) => kit.models.current().tokens.has(hash),
    sessions,
    now,
  })
  const entry = new AdminEntry({
    access,
    signInCode: () => 'code',
    load: async () => kit.api,
    log: { info: () => undefined, error: (fields, message) => log.error(fields, message) },
    onTokensChanged: (listener) => kit.store.onChange(listener),
    now: () => 0,
  })
  const page = (_: unknown, res: { end(text: string): unknown }): void => void res.end('page')
  http = new HttpServer({
    handler,
    access: new RequestAccess({ models: kit.models, now }),
    log,
    ...{ health: page, ready: page, metrics: page, port: 0 },
    areas: new Map([
      ['api', (req, res, sender) => entry.handle(req, res, sender).then(() => true)],
      ['console', consoleArea(async () => pathToFileURL(`${join(folder, 'app')}/`))],
      ['', leadToConsole],
    ]),
  })
  ;({ url, port } = await http.listen())
}, PATIENT.timeout)
afterAll(async () => {
  await http.close()
  await kit.stop()
  await rm(folder, { recursive: true })
})

/** Sends a request without normalising its target. */
async function raw(method: string, target: string, headers: Readonly<Record<string, string>> = {}, body = '') {
  const lines = Object.entries({ host: `localhost:${port}`, 'content-length': String(body.length), ...headers })
  const text = [`${method} ${target} HTTP/1.1`, ...lines.map((line) => line.join(': ')), 'connection: close', '', body]
  const reply = await sendPieces(port, [Buffer.from(text.join('\r\n'), 'latin1')], Number.POSITIVE_INFINITY)
  const end = reply.indexOf('\r\n\r\n')
  return { status: Number(reply.slice(9, 12)), head: reply.slice(0, end), text: reply.slice(end + 4) }
}
const admin = () => ({ authorization: `Bearer ${secret}` })
const changes = (): string => JSON.stringify(kit.store.current())

describe('The console’s files', PATIENT, () => {
  const UPWARD = [
    '/..',
    '/%2e%2e',
    '/.%2e',
    '/..%2f',
    '/..%5c',
    '/..\\',
    '/%2e%2e%2f',
    '/assets/../..',
    '/assets/..%2f..',
  ]
  it.each(UPWARD.flatMap((up) => [`/console${up}/outside.txt`, `/console/assets${up}/outside.txt`]))(
    'lead nowhere else by %s',
    async (target) => {
      const { status, text } = await raw('GET', target)
      expect([200, 404]).toContain(status)
      expect(text).not.toContain('OUTSIDE')
    },
  )

  it.each(['/console//etc/passwd', '/console/\0', '/console/%00', '/console/assets/', '/console/assets'])(
    'have nothing at %j but the page, or nothing at all',
    async (target) => {
      const { status, text } = await raw('GET', target)
      expect([200, 400, 404]).toContain(status)
      if (status === 200) expect(text).toContain('<title>Console</title>')
    },
  )

  it('are read with GET and HEAD, and with nothing else', async () => {
    const got = await raw('GET', '/console/assets/index-1.js')
    const asked = await raw('HEAD', '/console/assets/index-1.js')
    expect([got.status, got.text, asked.status, asked.text]).toEqual([200, 'export {}', 200, ''])
    expect(asked.head).toContain('content-length: 9')
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND']) {
      const { status, text } = await raw(method, '/console/assets/index-1.js', admin())
      expect([method, status]).toEqual([method, 404])
      expect(text).not.toContain('export {}')
    }
  })

  it('cannot be framed or sniffed, and run and load no foreign code', async () => {
    for (const path of ['/console', '/console/', '/console/tools/x', '/console/assets/index-1.js']) {
      const { headers } = await fetch(url + path)
      expect(headers.get('x-frame-options')).toBe('DENY')
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
      expect(headers.get('content-security-policy')).toContain("require-trusted-types-for 'script'")
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
    }
  })

  it('are reached from the bare address, and from no similar one', async () => {
    const bare = await raw('GET', '/')
    expect([bare.status, /^location: (.*)$/im.exec(bare.head)?.[1]]).toEqual([302, '/console/'])
    for (const target of ['//', '//evil.com', '//evil.com/console/', '/\\evil.com', '/;/']) {
      const { status, head } = await raw('GET', target)
      expect([target, status]).toEqual([target, 404])
      expect(head).not.toMatch(/^location:/im)
    }
  })
})

describe('The admin API', PATIENT, () => {
  const READ = '/api/v1/servers'

  it.each(['TRACE', 'PROPFIND', 'PATCH', 'PUT', 'DELETE', 'OPTIONS'])(
    'does not take %s for what it is not',
    async (method) => {
      const before = changes()
      const { status, head } = await raw(method, READ, admin())
      expect(status).toBe(405)
      expect(head).toMatch(/^allow: .*GET/im)
      expect(head).not.toMatch(/^access-control-/im)
      expect(changes()).toBe(before)
    },
  )

  it('answers HEAD as GET, without a body', async () => {
    const { status, text } = await raw('HEAD', READ, admin())
    expect([status, text]).toEqual([200, ''])
  })

  it('does not let a header or a parameter change the method', async () => {
    const before = changes()
    const override = { 'x-http-method-override': 'DELETE', 'x-http-method': 'DELETE', 'x-method-override': 'DELETE' }
    expect((await raw('GET', '/api/v1/servers/notes', { ...admin(), ...override })).status).toBe(200)
    expect((await raw('GET', '/api/v1/servers/notes?_method=DELETE', admin())).status).toBe(400)
    expect(changes()).toBe(before)
  })

  it.each([
    ['another path to it', '/x/../api/v1/servers'],
    ['its name in code', '/%61pi/v1/servers'],
    ['two slashes', '//api/v1/servers'],
    ['a backslash', '/\\api/v1/servers'],
    ['capitals', '/API/v1/servers'],
    ['a parameter of the path', '/api;x/v1/servers'],
  ])('is not at %s', async (_, target) => {
    const { status, text } = await raw('GET', target, admin())
    expect(status).toBe(404)
    expect(text).not.toContain('notes')
  })

  it.each([
    ['a way round the console', '/console/../api/v1/servers'],
    ['a way round sign-in', '/api/v1/session/../servers'],
    ['a code in the way', '/api/v1/%73ervers'],
    ['a query', '/api/v1/servers?token=x'],
    ['dots behind it', '/api/v1/servers/..'],
  ])('needs an admin token by %s, too', async (_, target) => {
    const { text } = await raw('GET', target)
    expect(text).not.toContain('notes')
    const signIn = await raw('POST', target, { 'content-type': 'application/json' }, '{}')
    expect([401, 404, 405]).toContain(signIn.status)
  })

  it.each([`localhost:${99_999}`, 'localhost:0', '127.0.0.1:00080', '[::1]:65536'])(
    'is not brought down by the port of a Host header: %s',
    async (host) => {
      const lines = log.lines.length
      for (const headers of [{ host }, { host, ...admin() }]) {
        const { status } = await raw(
          'POST',
          '/api/v1/session',
          { ...headers, 'content-type': 'application/json' },
          '{}',
        )
        expect(status).toBe(400)
      }
      expect((await raw('GET', READ, { host, ...admin() })).status).toBe(200)
      expect(log.lines.length).toBe(lines)
    },
  )

  it('reads little of unauthenticated requests', async () => {
    const json = { 'content-type': 'application/json' }
    const long = JSON.stringify({ token: 'x'.repeat(20_000) })
    expect((await raw('POST', '/api/v1/session', json, long)).status).toBe(413)
    expect((await raw('POST', '/api/v1/servers', json, long)).status).toBe(401)
    expect((await raw('POST', '/api/v1/session', json, JSON.stringify({ token: 'x' }))).status).toBe(401)
  })

  it('accepts no form content types', async () => {
    const before = changes()
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', '']) {
      const { status } = await raw('POST', READ, { ...admin(), 'content-type': type }, '{"id":"x","command":"x"}')
      expect([type, status]).toEqual([type, 415])
    }
    expect(changes()).toBe(before)
  })
})

describe('A browser', PATIENT, () => {
  const signedIn = async (): Promise<{ cookie: string; flags: string }> => {
    const page = { origin: url, 'content-type': 'application/json' }
    const answer = await fetch(`${url}/api/v1/session`, {
      method: 'POST',
      headers: page,
      body: JSON.stringify({ token: secret }),
    })
    const set = answer.headers.get('set-cookie') ?? ''
    return { cookie: set.split(';')[0] ?? '', flags: set }
  }

  it('gets a cookie that no script reads, no other site sends and no other path sees', async () => {
    expect((await signedIn()).flags).toMatch(/; Path=\/api\/v1; HttpOnly; SameSite=Strict(; Secure)?; Max-Age=\d+$/)
  })

  /** What a browser adds to what a page makes it send; a page cannot change these. */
  const FOREIGN: readonly (readonly [string, (own: string) => Record<string, string>])[] = [
    ['another site', () => ({ origin: 'https://evil.com', 'sec-fetch-site': 'cross-site' })],
    ['another port of this machine', () => ({ origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site' })],
    ['a page without an origin', () => ({ origin: 'null', 'sec-fetch-site': 'cross-site' })],
    ['a form of an old browser', () => ({})],
    ['a page that cannot add headers', (own) => ({ origin: own })],
    [
      'another name of this machine',
      (own) => ({ origin: own.replace('127.0.0.1', 'localhost'), 'sec-fetch-site': 'cross-site' }),
    ],
  ]
  const CHANGES = (Object.values(adminRoutes) as AdminRoute[]).filter(
    ({ method, access }) => method !== 'GET' && access !== 'open',
  )

  it.each(FOREIGN)('changes nothing for %s, on any route', async (_, headersFor) => {
    const { cookie } = await signedIn()
    const before = changes()
    expect(CHANGES.length).toBeGreaterThan(10)
    for (const { method, path } of CHANGES) {
      const target = `/api/v1${path.replaceAll(/\{\w+\}/g, 'notes')}`
      const headers = { cookie, 'content-type': 'application/json', ...headersFor(url) }
      expect([method, path, (await raw(method, target, headers, '{}')).status]).toEqual([method, path, 403])
    }
    expect(changes()).toBe(before)
  })

  it('is signed in by the gateway’s own page only', async () => {
    const json = { 'content-type': 'application/json' }
    const body = JSON.stringify({ token: secret })
    for (const headers of [
      { origin: 'http://localhost:3000' },
      { origin: `http://localhost:${port + 1}`, 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'null' },
    ]) {
      const { status, head } = await raw('POST', '/api/v1/session', { ...json, ...headers }, body)
      expect(status).toBe(403)
      expect(head).not.toMatch(/^set-cookie:/im)
    }
    const own = { ...json, origin: `http://localhost:${port}`, 'sec-fetch-site': 'same-origin' }
    expect((await raw('POST', '/api/v1/session', own, body)).status).toBe(200)
  })

  it('lets no page of another origin read an answer', async () => {
    const { cookie } = await signedIn()
    const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' }
    for (const origin of ['https://evil.com', 'http://localhost:3000', 'null', url]) {
      for (const [method, path] of [
        ...[
          ['OPTIONS', '/api/v1/servers'],
          ['GET', '/api/v1/servers'],
          ['POST', '/api/v1/session'],
        ],
        ...[
          ['OPTIONS', '/mcp'],
          ['POST', '/mcp'],
          ['GET', '/healthz'],
          ['GET', '/console/'],
          ['OPTIONS', '/console/'],
        ],
      ] as [string, string][]) {
        const headers = { origin, cookie, 'content-type': 'application/json', ...(method === 'OPTIONS' && preflight) }
        const { head } = await raw(method, path, headers, method === 'POST' ? '{}' : '')
        expect(head).toMatch(/^HTTP\/1\.1 \d{3} /)
        expect(head).not.toMatch(/^access-control-allow/im)
      }
    }
  })

  it('cannot use an endpoint with its cookie', async () => {
    const { cookie } = await signedIn()
    const before = handler.asked.length
    const headers = { cookie, origin: url, 'x-tooldex-console': '1', 'content-type': 'application/json' }
    expect((await raw('POST', '/mcp', headers, '{"jsonrpc":"2.0","id":1,"method":"tools/list"}')).status).toBe(401)
    expect(handler.asked.length).toBe(before)
  })
})
