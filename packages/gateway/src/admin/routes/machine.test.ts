import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { AdminCaller } from '../access/admin-caller.ts'
import { type AdminKit, adminKit } from '../admin-kit.case.ts'
import { type AdminApi, createAdminApi } from '../api/admin-api.ts'

let kit: AdminKit
let home = ''
let api: AdminApi
const FILE = '{ "mcpServers": { "a": { "url": "https://a.example/mcp" } } }'
const STALE: AdminCaller = {
  ...{ tokenId: 'admin-1', name: 'Ada', role: 'administrator', via: 'session' },
  ...{ isFresh: false, isLocal: true },
}

beforeEach(async () => {
  kit = await adminKit()
  home = mkdtempSync(join(tmpdir(), 'tooldex-home-'))
  mkdirSync(join(home, '.cursor'))
  writeFileSync(join(home, '.cursor', 'mcp.json'), FILE)
  api = apiOf({ isPrivate: true })
})
afterEach(async () => {
  await kit.stop()
  rmSync(home, { recursive: true })
})

function apiOf({ isPrivate }: { readonly isPrivate: boolean }): AdminApi {
  const environment = { variables: {}, cwd: home, home }
  const machine = { environment, dataDir: join(home, 'data'), program: ['tooldex'], isPrivate }
  return createAdminApi({ ...kit.parts, machine })
}

async function ask(path: string, body: object | undefined, caller: AdminCaller) {
  const request = new Request(`http://gateway/api/v1${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const response = await api(request, caller)
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

it('needs a fresh proof to change a file, to add what is in one, and to test a program', async () => {
  const { body: plan } = await ask('/machine/clients/cursor/preview', { endpoint: 'default' }, STALE)
  const { body: found } = await ask('/machine/servers', undefined, STALE)
  const { digest } = (found['items'] as readonly { readonly digest: string }[])[0] ?? {}
  const acts = [
    ['/machine/clients/cursor/connect', { endpoint: 'default', revision: plan['revision'] }],
    ['/machine/clients/cursor/undo', {}],
    ['/machine/servers', { digest, id: 'a' }],
    ['/servers/test', { command: 'x' }],
    ['/servers/test', { url: 'https://a.example/${HOME}' }],
  ] as const
  for (const [path, body] of acts) {
    expect([path, await ask(path, body, STALE)]).toMatchObject([
      path,
      { status: 403, body: { code: 'FRESH_PROOF_REQUIRED' } },
    ])
  }
  expect(readFileSync(join(home, '.cursor', 'mcp.json'), 'utf8')).toBe(FILE)
  expect(await ask('/machine/servers', { digest, id: 'a' }, { ...STALE, isFresh: true })).toMatchObject({ status: 201 })
})

it('is refused without a machine, and for a caller that is not known to be here', async () => {
  const { isLocal: _unknown, ...remote } = STALE
  expect(await ask('/machine/servers', undefined, remote)).toMatchObject({ body: { code: 'LOCAL_ONLY' } })
  expect(await kit.problem('findServers')).toMatchObject({ code: 'LOCAL_ONLY' })
  expect(await kit.ask('getMachine')).toEqual({ isThisMachine: false, clients: [] })
  api = apiOf({ isPrivate: false })
  expect(await ask('/machine/servers', undefined, STALE)).toMatchObject({ status: 403, body: { code: 'LOCAL_ONLY' } })
  expect(await ask('/machine', undefined, STALE)).toMatchObject({ body: { isThisMachine: false } })
})

it('writes no text that is not the secret of a client token', async () => {
  const body = { endpoint: 'default', secret: 'tdx_unknown' }
  expect(await ask('/machine/clients/cursor/preview', body, STALE)).toMatchObject({
    status: 400,
    body: { problems: [{ path: 'secret' }] },
  })
})

it('writes a given token into an entry that is there already, and undo keeps that token', async () => {
  const fresh = { ...STALE, isFresh: true }
  const connect = async (extra: object): Promise<void> => {
    const { body: plan } = await ask('/machine/clients/cursor/preview', { endpoint: 'default', ...extra }, fresh)
    const body = { endpoint: 'default', revision: plan['revision'], ...extra }
    expect(await ask('/machine/clients/cursor/connect', body, fresh)).toMatchObject({ status: 200 })
  }
  await connect({})
  const { secret } = await kit.ask('createToken', { body: { name: 'given' } })
  await connect({ secret })
  expect(readFileSync(join(home, '.cursor', 'mcp.json'), 'utf8')).toContain(secret)
  await ask('/machine/clients/cursor/undo', {}, fresh)
  const { items } = await kit.ask('listTokens')
  expect(items.map(({ name }) => name)).toEqual(expect.arrayContaining(['Cursor', 'given']))
})
