import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, type Json } from '../kit/clients.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { until } from '../kit/gateway.ts'
import { Machine, type RunningProgram } from '../kit/program.ts'

const SECRET = 'hunter2-very-private'
const TRACKER = fixtureServer({ tools: [textTool('create_issue', 'Creates an issue')] }, { env: { PIN: SECRET } })
const NEEDY = { command: 'needy', env: { API_TOKEN: '${env:NEEDY_TOKEN}' } }

describe('clients on the machine of the gateway', () => {
  let machine: Machine
  let gateway: RunningProgram
  let adminToken = ''
  const inHome = (...path: string[]): string => join(dirname(machine.folder), ...path)
  const cursor = (): string => inHome('.cursor', 'mcp.json')
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  const api = async (method: string, path: string, body?: object, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`${gateway.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: (await response.json()) as Json }
  }
  const preview = (client: string) => api('POST', `/machine/clients/${client}/preview`, { endpoint: 'default' })
  const connectClient = (client: string, revision: unknown) =>
    api('POST', `/machine/clients/${client}/connect`, { endpoint: 'default', revision })
  const undo = (client: string) => api('POST', `/machine/clients/${client}/undo`)
  const tokenNames = async () => (await api('GET', '/tokens')).body['items'].map(({ name }: Json) => name as string)
  /** Entries are stored a moment after the answer. */
  const audited = (act: string) =>
    until(async () => {
      const { body } = await api('GET', '/audit?kind=change')
      return body['items'].some(({ action, target }: Json) => `${action} ${target}` === act)
    })
  const ORIGINAL = `{\n\t// mine\n\t"mcpServers": {\n\t\t"tracker": ${JSON.stringify(TRACKER)},\n\t\t"needy": ${JSON.stringify(NEEDY)}\n\t}\n}\n`

  beforeAll(async () => {
    machine = new Machine()
    write(cursor(), ORIGINAL)
    gateway = await machine.serve()
    adminToken = /tdxa_[\w-]+/.exec(gateway.out)?.[0] ?? ''
  }, 60_000)
  afterAll(() => machine[Symbol.asyncDispose]())

  it('shows the change of a file, writes it with a token of its own, and takes it back byte for byte', async () => {
    const { body: found } = await api('GET', '/machine')
    expect(found).toEqual({
      isThisMachine: true,
      clients: [{ client: 'cursor', title: 'Cursor', file: cursor() }],
    })
    const { body: plan } = await preview('cursor')
    expect(plan).toMatchObject({ title: 'Cursor', file: cursor(), action: 'write' })
    const shown = plan['diff'].map(({ sign, line }: Json) => `${sign}${line}`).join('\n')
    expect(shown).toContain(`"url": "${gateway.url}/mcp"`)
    expect(shown).not.toContain(SECRET)
    expect(readFileSync(cursor(), 'utf8')).toBe(ORIGINAL)

    expect((await connectClient('cursor', plan['revision'])).body).toMatchObject({ file: cursor(), token: 'Cursor' })
    const written = readFileSync(cursor(), 'utf8')
    expect(written).toContain('// mine')
    const client = await connect('modern', gateway.url, /tdx_[\w-]+/.exec(written)?.[0])
    expect(await client.listTools()).toEqual([])
    await client.close()
    expect((await preview('cursor')).body).toMatchObject({ action: 'connected', diff: [] })
    expect((await api('GET', '/machine')).body['clients'][0]).toHaveProperty('writtenAt')

    expect((await undo('cursor')).body).toMatchObject({ outcome: 'restored' })
    expect(readFileSync(cursor(), 'utf8')).toBe(ORIGINAL)
    expect(await tokenNames()).not.toContain('Cursor')
    expect((await undo('cursor')).body).toMatchObject({ code: 'CLIENT_NOT_FOUND' })
    await audited('connectClient cursor')
    await audited('disconnectClient cursor')
  })

  it('refuses callers behind a proxy and client tokens, whatever their rights', async () => {
    const { body: made } = await api('POST', '/tokens', { name: 'reader', readOnly: true })
    const routes = [
      ['POST', '/machine/clients/cursor/preview', { endpoint: 'default' }],
      ['POST', '/machine/clients/cursor/connect', { endpoint: 'default', revision: 'x' }],
      ['POST', '/machine/clients/cursor/undo', undefined],
      ['GET', '/machine/servers', undefined],
      ['POST', '/machine/servers', { digest: 'x', id: 'x' }],
    ] as const
    for (const [method, path, body] of routes) {
      const remote = await api(method, path, body, { 'x-forwarded-for': '203.0.113.7' })
      expect([path, remote.status, remote.body['code']]).toEqual([path, 403, 'LOCAL_ONLY'])
      expect(remote.body['remedy']).toContain('tooldex setup')
      const reader = await api(method, path, body, { authorization: `Bearer ${String(made['secret'])}` })
      expect([path, reader.status, reader.body['code']]).toEqual([path, 403, 'ADMIN_REQUIRED'])
    }
    const seen = await api('GET', '/machine', undefined, { forwarded: 'for=203.0.113.7' })
    expect(seen.body).toEqual({ isThisMachine: false, clients: [] })
  })

  it('writes nothing into a file that changed after the preview, and loses nothing', async () => {
    const { body: plan } = await preview('cursor')
    const meanwhile = ORIGINAL.replace('// mine', '// mine, and later')
    write(cursor(), meanwhile)
    expect(await connectClient('cursor', plan['revision'])).toMatchObject({
      status: 412,
      body: { code: 'REVISION_CONFLICT' },
    })
    expect(readFileSync(cursor(), 'utf8')).toBe(meanwhile)
    expect(await tokenNames()).not.toContain('Cursor')
    write(cursor(), ORIGINAL)
  })

  it('refuses malformed, read-only and unwritable files, and leaves no token and nothing to undo', async () => {
    const zed = inHome('.config', 'zed', 'settings.json')
    write(zed, '{ "context_servers": ')
    const { body: broken } = await preview('zed')
    expect(broken).toMatchObject({ action: 'refused', diff: [], reason: expect.stringContaining(zed) })
    expect(await connectClient('zed', broken['revision'])).toMatchObject({
      status: 409,
      body: { code: 'CLIENT_FILE_REFUSED' },
    })
    expect(readFileSync(zed, 'utf8')).toBe('{ "context_servers": ')

    chmodSync(cursor(), 0o444)
    expect((await preview('cursor')).body).toMatchObject({
      action: 'refused',
      reason: expect.stringContaining('read-only'),
    })
    chmodSync(cursor(), 0o644)

    const { body: plan } = await preview('cursor')
    // The gateway writes through a file of this name.
    const { pid } = JSON.parse(readFileSync(join(machine.dataDir, 'gateway.json'), 'utf8')) as { pid: number }
    mkdirSync(inHome('.cursor', `.mcp.json.${pid}.tooldex`))
    expect(await connectClient('cursor', plan['revision'])).toMatchObject({
      status: 409,
      body: { code: 'CLIENT_FILE_REFUSED' },
    })
    expect(readFileSync(cursor(), 'utf8')).toBe(ORIGINAL)
    expect(await tokenNames()).not.toContain('Cursor')
    expect((await undo('cursor')).body).toMatchObject({ code: 'CLIENT_NOT_FOUND' })
    expect((await preview('windsurf')).body).toMatchObject({ code: 'CLIENT_NOT_FOUND' })
  })

  it('finds the servers of the clients without their secrets, marks known ones, and adds them', async () => {
    const { body: found } = await api('GET', '/machine/servers')
    expect(JSON.stringify(found)).not.toContain(SECRET)
    expect(found['unreadable']).toEqual([
      { file: inHome('.config', 'zed', 'settings.json'), reason: expect.any(String) },
    ])
    const [tracker, needy] = found['items'] as Json[]
    expect(tracker).toMatchObject({
      ...{ id: 'tracker', isNew: true, transport: 'stdio', variables: ['PIN'], missingVariables: [] },
      foundIn: [{ client: 'cursor', title: 'Cursor', file: cursor(), name: 'tracker' }],
    })
    expect(needy).toMatchObject({ id: 'needy', missingVariables: ['NEEDY_TOKEN'] })

    const added = await api('POST', '/machine/servers', { digest: tracker?.['digest'], id: 'tracker' })
    expect(added).toMatchObject({ status: 201, body: { id: 'tracker', config: { env: { PIN: '••••' } } } })
    await until(async () => (await api('GET', '/servers/tracker')).body['counts'].tools === 1)
    const off = await api('POST', '/machine/servers', { digest: needy?.['digest'], id: 'needy' })
    expect(off.body).toMatchObject({ enabled: false, missingValues: ['NEEDY_TOKEN'] })
    const { body: again } = await api('GET', '/machine/servers')
    expect(again['items']).toMatchObject([
      { isNew: false, sameAs: 'tracker' },
      { isNew: false, sameAs: 'needy' },
    ])
    expect(await api('POST', '/machine/servers', { digest: 'other', id: 'x' })).toMatchObject({
      status: 412,
      body: { code: 'REVISION_CONFLICT' },
    })
    expect(statSync(cursor()).size).toBe(Buffer.byteLength(ORIGINAL))
  })

  it('tests a connection with values that are not stored, and leaves no process', async () => {
    const pidFile = join(machine.folder, 'pid')
    const started = {
      command: '/bin/sh',
      args: ['-c', `echo $$ > ${pidFile}; exec "$0" "$@"`, TRACKER['command'], ...(TRACKER['args'] as string[])],
    }
    const { body: fine } = await api('POST', '/servers/test', started)
    expect(fine).toMatchObject({ ok: true, name: 'fixture', version: '1', tools: 1 })
    expect(existsSync(`/proc/${readFileSync(pidFile, 'utf8').trim()}`)).toBe(false)

    const crashing = fixtureServer({ tools: [], trouble: 'crash-at-start' })
    const { body: bad } = await api('POST', '/servers/test', { id: 'crashing', ...crashing })
    expect(bad).toMatchObject({ ok: false, problem: { code: 'SERVER_START_FAILED' }, log: ['no configuration found'] })
    const { body: lacking } = await api('POST', '/servers/test', { ...NEEDY })
    expect(lacking).toMatchObject({ ok: false, problem: { message: expect.stringContaining('NEEDY_TOKEN') } })
    expect((await api('POST', '/servers/test', { args: ['x'] })).status).toBe(400)

    // As the settings page sends it: the secret is masked, and the running server is left alone.
    const { body: before } = await api('GET', '/servers/tracker')
    const { body: edited } = await api('POST', '/servers/tracker/test', {
      env: { PIN: '••••' },
      command: 'no-such-program',
    })
    expect(edited).toMatchObject({ ok: false, problem: { code: 'SERVER_START_FAILED' } })
    expect((await api('GET', '/servers/tracker')).body['status'].pid).toBe(before['status'].pid)
    expect((await api('GET', '/servers')).body['items'].map(({ id }: Json) => id as string)).toEqual([
      'tracker',
      'needy',
    ])
    await audited('testServer tracker')
  })
})
