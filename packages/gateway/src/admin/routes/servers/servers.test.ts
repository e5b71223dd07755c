import { SECRET_MASK } from '@tooldex/contract/admin'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AdminKit, adminKit } from '../../admin-kit.case.ts'

const SECRET = 'canary-secret-7f3a'
const FILE = { mcpServers: { filed: { command: 'filed', env: { KEY: SECRET } } } }

let kit: AdminKit
beforeEach(async () => {
  kit = await adminKit({ file: FILE })
})
afterEach(() => kit.stop())

const create = (body: object) => kit.ask('createServer', { body })
const server = (id: string) => ({ params: { server: id } })

describe('servers', () => {
  it('are created, in force at once, and shown with their status', async () => {
    const made = await create({ id: 'notes', command: 'notes', args: ['--fast'] })
    expect(made).toMatchObject({
      id: 'notes',
      managedBy: 'store',
      enabled: true,
      transport: 'stdio',
      status: { state: 'running' },
      projects: ['default'],
      config: { command: 'notes', args: ['--fast'], start: 'eager' },
    })
    expect(kit.models.current().servers.map(({ id }) => id)).toEqual(['filed', 'notes'])
    await kit.offer('notes', [{ name: 'add' }, { name: 'list' }])
    const { items } = await kit.ask('listServers')
    expect(items.map(({ id, managedBy, counts }) => [id, managedBy, counts.tools])).toEqual([
      ['filed', 'file', 0],
      ['notes', 'store', 2],
    ])
    expect(items[0]).toMatchObject({ file: '/etc/tooldex.json' })
  })

  it('are created disabled, and enabled and disabled later', async () => {
    expect(await create({ id: 'notes', command: 'notes', disabled: true })).toMatchObject({ enabled: false })
    expect(await kit.ask('enableServer', server('notes'))).toMatchObject({ enabled: true })
    const disabled = await kit.ask('disableServer', server('notes'))
    expect(disabled).toMatchObject({ enabled: false, config: { enabled: false } })
    expect(disabled.config).not.toHaveProperty('disabled')
  })

  it('are refused with every problem at once, and nothing is stored', async () => {
    const body = { id: 'a:b', comand: 'x', limits: { callTimeoutMs: -1 } }
    const { code, status, problems } = await kit.problem('createServer', { body })
    expect([code, status]).toEqual(['REQUEST_INVALID', 400])
    expect(problems).toEqual([
      { path: 'id', message: 'must have 1 to 128 characters and no colon' },
      { path: 'limits.callTimeoutMs', message: 'must be more than 0' },
      { path: 'comand', message: 'unknown key; did you mean command?' },
    ])
    const both = await kit.problem('createServer', { body: { id: 'x', command: 'x', url: 'http://x.test' } })
    expect(both.problems).toEqual([{ path: '', message: 'has both command and url; a server is one of them' }])
    const neither = await kit.problem('createServer', { body: { id: 'x' } })
    expect(neither.problems?.[0]?.message).toContain('needs a command')
    expect(kit.store.current().servers).toEqual([])
  })

  it('have unique ids, ignoring case, across file and store', async () => {
    await create({ id: 'Notes', command: 'n' })
    for (const id of ['Notes', 'notes', 'FILED', 'filed']) {
      expect(await kit.problem('createServer', { body: { id, command: 'x' } })).toMatchObject({
        code: 'NAME_TAKEN',
        status: 409,
        problems: [{ path: 'id' }],
      })
    }
  })

  it('never show a secret, and keep it when its mask is sent back', async () => {
    const made = await create({ id: 'notes', command: 'n', env: { KEY: SECRET, OTHER: 'x' } })
    expect(made.config.env).toEqual({ KEY: SECRET_MASK, OTHER: SECRET_MASK })
    const env = { KEY: SECRET_MASK, OTHER: 'new' }
    await kit.ask('changeServer', { ...server('notes'), body: { env, name: 'Notes' } })
    expect(kit.store.current().servers[0]?.config).toMatchObject({ env: { KEY: SECRET, OTHER: 'new' }, name: 'Notes' })
    const lost = await kit.problem('changeServer', { ...server('notes'), body: { env: { NEW: SECRET_MASK } } })
    expect(lost.problems).toEqual([
      { path: 'env.NEW', message: 'is masked, but there is no current value; send the value' },
    ])
  })

  it('mask client secrets and arguments that look like secrets, and keep them', async () => {
    const args = ['--api-key=one', '--token=two', '--verbose', '--api-key=three']
    const made = await create({ id: 'x', command: 'x', args })
    expect(made.config.args).toEqual(['--api-key=••••', '--token=••••', '--verbose', '--api-key=••••'])
    await kit.ask('changeServer', { ...server('x'), body: { args: ['--token=••••', 'more'] } })
    expect(kit.store.current().servers[0]?.config.args).toEqual(['--token=two', 'more'])
    const unknown = await kit.problem('changeServer', { ...server('x'), body: { args: ['--password=••••'] } })
    expect(unknown.problems).toMatchObject([{ path: 'args[0]' }])
    const auth = { type: 'client-credentials', clientId: 'me', clientSecret: SECRET }
    const login = await create({ id: 'y', url: 'https://y.example.org/mcp', auth })
    expect(login.config.auth).toEqual({ ...auth, clientSecret: SECRET_MASK })
    await kit.ask('changeServer', { ...server('y'), body: { auth: { ...login.config.auth, scope: 'all' } } })
    expect(kit.store.current().servers[1]?.config.auth).toEqual({ ...auth, scope: 'all' })
  })

  it('mask passwords and query values of URLs', async () => {
    const url = 'https://user:hunter2@mcp.example.org/mcp?key=hunter3'
    const made = await create({ id: 'web', url, headers: { Authorization: `Bearer ${SECRET}` } })
    expect(made.config.url).toBe(`https://${SECRET_MASK}@mcp.example.org/mcp?key=${SECRET_MASK}`)
    expect(made.config.headers).toEqual({ Authorization: SECRET_MASK })
    await kit.ask('changeServer', { ...server('web'), body: { url: made.config.url, headers: made.config.headers } })
    expect(kit.store.current().servers[0]?.config).toMatchObject({
      url,
      headers: { Authorization: `Bearer ${SECRET}` },
    })
    const moved = { url: (made.config.url ?? '').replace('mcp.example', 'evil.example') }
    expect(await kit.problem('changeServer', { ...server('web'), body: moved })).toMatchObject({
      code: 'REQUEST_INVALID',
    })
  })

  it('H8: show no secret of a command line, and keep each where its mask comes back', async () => {
    const args = ['--api-key', SECRET, '--header', `Authorization: Bearer ${SECRET}`, `postgres://u:${SECRET}@h`]
    const more = [`KEY=${SECRET}`, '--token', 'other-secret', 'plain']
    const made = await create({ id: 'x', command: 'x', args: [...args, ...more] })
    const shown = ['--api-key', '••••', '--header', 'Authorization: ••••', 'postgres://••••@h', 'KEY=••••']
    expect(made.config.args).toEqual([...shown, '--token', '••••', 'plain'])
    const exported = await kit.ask('exportAll')
    expect(JSON.stringify([await kit.ask('listServers'), exported])).not.toMatch(new RegExp(`other-secret|${SECRET}`))
    const explicit = await kit.ask('exportAll', { query: { secrets: 'true' } })
    expect(explicit.config.mcpServers?.['x']?.args).toEqual([...args, ...more])
    const args2 = ['--token', '••••', 'new', '--api-key', '••••', '--header', 'Authorization: ••••']
    await kit.ask('changeServer', { ...server('x'), body: { args: args2 } })
    expect(kit.store.current().servers[0]?.config.args).toEqual([
      ...['--token', 'other-secret', 'new', '--api-key', SECRET],
      ...['--header', `Authorization: Bearer ${SECRET}`],
    ])
    const moved = await kit.problem('changeServer', { ...server('x'), body: { args: ['--other', '••••'] } })
    expect(moved.problems).toEqual([
      { path: 'args[1]', message: 'is masked, but there is no current argument; send the value' },
    ])
  })

  it('change key by key; a command replaces a URL and its keys', async () => {
    await create({ id: 'x', url: 'http://x.test/mcp', headers: { A: 'b' }, type: 'sse', limits: { callTimeoutMs: 5 } })
    const change = (body: object) => kit.ask('changeServer', { ...server('x'), body })
    await change({ limits: { maxTools: 7 } })
    await change({ command: 'x', args: ['y'] })
    const { config } = await change({ start: 'on-demand', unset: ['args'] })
    expect(config).toMatchObject({ command: 'x', start: 'on-demand', limits: { callTimeoutMs: 5, maxTools: 7 } })
    expect(Object.keys(config).toSorted()).toEqual(['command', 'era', 'instances', 'limits', 'roots', 'start'])
  })

  it('of the file can be changed in the file only', async () => {
    const asks = [
      ['changeServer', { ...server('filed'), body: { name: 'x' } }],
      ['removeServer', server('filed')],
      ['disableServer', server('filed')],
    ] as const
    for (const [route, ask] of asks) {
      const problem = await kit.problem(route, ask)
      expect(problem).toMatchObject({ code: 'FILE_MANAGED', status: 409, details: { file: '/etc/tooldex.json' } })
    }
  })

  it('that do not exist are not found, on every route', async () => {
    const routes = [
      'getServer',
      'changeServer',
      'removeServer',
      'enableServer',
      'disableServer',
      'restartServer',
    ] as const
    for (const route of [...routes, 'serverLogs', 'serverTools', 'loginServer', 'logoutServer'] as const) {
      const body = route === 'changeServer' ? { body: {} } : {}
      expect(await kit.problem(route, { ...server('missing'), ...body })).toMatchObject({
        code: 'SERVER_NOT_FOUND',
        status: 404,
      })
    }
  })

  it('change only from the current revision', async () => {
    const { revision = '' } = await create({ id: 'x', command: 'x' })
    const response = await kit.send('getServer', server('x'))
    expect(response.headers.get('etag')).toBe(`"${revision}"`)
    const change = { ...server('x'), headers: { 'if-match': `"${revision}"` } }
    const changed = await kit.ask('changeServer', { ...change, body: { name: 'one' } })
    const late = await kit.problem('changeServer', { ...change, body: { name: 'two' } })
    expect(late).toMatchObject({ code: 'REVISION_CONFLICT', status: 412, details: { revision: changed.revision } })
    expect(await kit.problem('removeServer', change)).toMatchObject({ code: 'REVISION_CONFLICT' })
    const both = await Promise.all(
      ['a', 'b'].map((name) =>
        kit.send('changeServer', {
          ...server('x'),
          headers: { 'if-match': `"${changed.revision ?? ''}"` },
          body: { name },
        }),
      ),
    )
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 412])
  })

  it('are removed together with all references; no token gains access', async () => {
    await create({ id: 'x', command: 'x' })
    await create({ id: 'y', command: 'y' })
    await kit.ask('createProject', {
      body: { id: 'work', servers: ['x', 'y'], tools: { 'x:del': { allowed: false }, 'y:add': { pinned: true } } },
    })
    await kit.ask('createToken', { body: { name: 'narrow', servers: ['x'] } })
    const removal = await kit.ask('removeServer', server('x'))
    expect(removal).toEqual({ removed: 'x', alsoRemoved: [], narrowed: ['project work', 'token narrow'] })
    expect(kit.store.current().projects[0]?.config).toEqual({ servers: ['y'], tools: { 'y:add': { pinned: true } } })
    const [principal] = kit.models.current().tokens.values()
    expect(principal?.servers).toEqual(new Set())
    expect(kit.pool.get('x')).toBeUndefined()
  })

  it('keep the given order of priority', async () => {
    for (const id of ['a', 'b', 'c']) await create({ id, command: id })
    const { items } = await kit.ask('orderServers', { body: { servers: ['c', 'a', 'b'] } })
    expect(items.map(({ id }) => id)).toEqual(['filed', 'c', 'a', 'b'])
    expect(kit.models.current().servers.map(({ id }) => id)).toEqual(['filed', 'c', 'a', 'b'])
    for (const servers of [
      ['c', 'a'],
      ['a', 'b', 'c', 'c'],
      ['a', 'b', 'x'],
      ['a', 'b', 'c', 'filed'],
    ]) {
      expect(await kit.problem('orderServers', { body: { servers } })).toMatchObject({ code: 'REQUEST_INVALID' })
    }
  })

  it('restart, unless they are disabled', async () => {
    await create({ id: 'x', command: 'x' })
    expect(await kit.ask('restartServer', server('x'))).toMatchObject({ status: { state: 'running' } })
    await kit.ask('disableServer', server('x'))
    kit.pool.remove('x')
    expect(await kit.problem('restartServer', server('x'))).toMatchObject({ code: 'SERVER_STOPPED' })
  })

  it('list their original tools, with permissions', async () => {
    await create({ id: 'x', command: 'x', toolPermissions: { del: false } })
    await kit.offer('x', [{ name: 'add', title: 'Add' }, { name: 'del' }])
    const { items } = await kit.ask('serverTools', server('x'))
    expect(items.map(({ key, allowed }) => [key, allowed])).toEqual([
      ['x:add', true],
      ['x:del', false],
    ])
    expect(items[0]?.definition).toMatchObject({ name: 'add', title: 'Add' })
  })

  it('may have unusual ids', async () => {
    for (const id of ['a/b', 'ä ö', '100%', 'a?b#c', 'constructor', 'preview', 'order']) {
      expect(await create({ id, command: 'x' })).toMatchObject({ id })
      expect(await kit.ask('getServer', server(id))).toMatchObject({ id })
    }
    // Written out: in an object literal the name would be the prototype.
    const bodies = ['..', '.', '__proto__'].map((id) => ({ id, command: 'x' }))
    for (const body of bodies)
      expect(await kit.problem('createServer', { body })).toMatchObject({ code: 'REQUEST_INVALID' })
  })
})

describe('a login at a server', () => {
  it('starts with a link, if the server requires a login', async () => {
    expect(await kit.problem('loginServer', server('filed'))).toMatchObject({ code: 'LOGIN_NOT_NEEDED', status: 409 })
    const forgotten: string[] = []
    const logins = {
      begin: async (id: string) => `https://login.example.org/${id}`,
      forget: async (id: string) => void forgotten.push(id),
    }
    const other = await adminKit({ file: FILE, logins })
    expect(await other.ask('loginServer', server('filed'))).toEqual({ loginUrl: 'https://login.example.org/filed' })
    await other.ask('logoutServer', server('filed'))
    expect(forgotten).toEqual(['filed'])
    await other.stop()
  })
})
