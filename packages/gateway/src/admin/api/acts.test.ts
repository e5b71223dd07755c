import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AdminKit, adminKit } from '../admin-kit.case.ts'

describe('administrative acts', () => {
  let kit: AdminKit
  beforeEach(async () => {
    kit = await adminKit()
  })
  afterEach(() => kit.stop())
  const acts = () => kit.audited().filter((entry) => entry.kind === 'change')
  const last = () => acts().at(-1)

  it('[R42] are audited once each, with who did it, what changed, and no values', async () => {
    const env = { API_KEY: 'canary-secret', MODE: 'a' }
    await kit.ask('createServer', { body: { id: 's', command: 'x', env } })
    expect(last()).toMatchObject({
      ...{
        kind: 'change',
        action: 'createServer',
        target: 's',
        outcome: 'ok',
        tokenId: 'admin-1',
        transport: 'admin-api',
      },
      changes: [{ of: 'server', id: 's', how: 'added', fields: [] }],
    })
    const body = { env: { API_KEY: 'canary-other', MODE: 'a' }, args: ['--token', 'canary-third'] }
    await kit.ask('changeServer', { params: { server: 's' }, body })
    expect(last()).toMatchObject({
      changes: [{ of: 'server', id: 's', how: 'changed', fields: ['args', 'env.API_KEY'] }],
    })
    await kit.ask('createProject', { body: { id: 'p', servers: ['s'] } })
    const { token } = await kit.ask('createToken', { body: { name: 'laptop', projects: ['p'] } })
    expect(last()).toMatchObject({ changes: [{ of: 'token', id: token.id, name: 'laptop', how: 'added' }] })
    await kit.ask('changeSettings', { body: { auditKeepDays: 3 } })
    expect(last()).toMatchObject({ changes: [{ of: 'setting', id: 'auditKeepDays', how: 'added' }] })
    await kit.ask('changeProjectTool', { params: { project: 'p', tool: 's:t' }, body: { allowed: false } })
    expect(last()).toMatchObject({ target: 'p s:t', changes: [{ of: 'project', id: 'p', fields: ['tools.s:t'] }] })
    await kit.ask('removeServer', { params: { server: 's' } })
    expect(last()).toMatchObject({
      changes: [
        { of: 'server', id: 's', how: 'removed' },
        { of: 'project', id: 'p', how: 'changed', fields: expect.arrayContaining(['servers']) },
      ],
    })
    await kit.ask('revokeToken', { params: { token: token.id } })
    expect(last()).toMatchObject({ changes: [{ of: 'token', name: 'laptop', how: 'removed' }] })
    expect(acts()).toHaveLength(8)
    expect(JSON.stringify(kit.audited())).not.toMatch(/canary|tdx/)
  })

  it('[R42] name entries as people did, and count the first settings of the default project as a change', async () => {
    await kit.ask('createProject', { body: { id: 'p', name: 'Research' } })
    expect(last()).toMatchObject({ changes: [{ of: 'project', id: 'p', name: 'Research', how: 'added', fields: [] }] })
    await kit.ask('changeProject', { params: { project: 'default' }, body: { exposure: 'meta-tools' } })
    expect(last()).toMatchObject({
      changes: [{ of: 'project', id: 'default', how: 'changed', fields: ['exposure'] }],
    })
  })

  it('[R42] are audited with their failure', async () => {
    await kit.problem('removeServer', { params: { server: 'nowhere' } })
    expect(acts()).toMatchObject([
      { action: 'removeServer', target: 'nowhere', outcome: 'SERVER_NOT_FOUND', changes: [] },
    ])
  })

  it('[R42] do not share the changes of others at the same time', async () => {
    const ids = Array.from({ length: 8 }, (_, at) => `s${at}`)
    await Promise.all(ids.map((id) => kit.ask('createServer', { body: { id, command: 'x' } })))
    const made = acts().map((entry) =>
      entry.kind === 'change' ? [entry.target, ...entry.changes.map(({ id }) => id)] : [],
    )
    expect(made.toSorted()).toEqual(ids.map((id) => [id, id]))
  })

  it('are no reading, no preview and no dry run', async () => {
    await kit.ask('listServers')
    await kit.ask('importAll', { query: { dryRun: 'true' }, body: { mcpServers: { s: { command: 'x' } } } })
    expect(acts()).toEqual([])
    await kit.ask('importAll', { query: { dryRun: 'false' }, body: { mcpServers: { s: { command: 'x' } } } })
    expect(acts()).toMatchObject([{ action: 'importAll', changes: [{ of: 'server', id: 's', how: 'added' }] }])
  })

  it('[R42] include reading out secrets, and no other export', async () => {
    await kit.ask('exportAll', { query: { scope: 'store' } })
    expect(acts()).toEqual([])
    await kit.ask('exportAll', { query: { secrets: 'true' } })
    expect(acts()).toMatchObject([{ action: 'exportAll', target: 'secrets', outcome: 'ok', tokenId: 'admin-1' }])
  })

  it('name the program behind them', async () => {
    const headers = { 'user-agent': 'terraform/1.9 (linux)' }
    await kit.ask('createServer', { body: { id: 's', command: 'x' }, headers })
    expect(last()).toMatchObject({ transport: 'admin-api', clientName: 'terraform', clientVersion: '1.9' })
  })

  it('show a list of searches that found nothing or led to no call', async () => {
    const at = kit.clock.now - 1_000
    const common = { requestId: 'r', tokenId: 't', projectId: 'default', endpointId: 'e', durationMs: 1, outcome: 'ok' }
    const search = { kind: 'search', ...common, queryCount: 1, answeredBy: 'bm25' } as const
    await kit.store.audit.append([
      { ...search, at, queries: ['send mail'], resultKeys: [] },
      { ...search, at, queries: ['file a bug'], resultKeys: ['s:t'] },
      { kind: 'call', ...common, at: at + 1, serverId: 's', toolKey: 's:t', requestBytes: 1, resultBytes: 1 },
    ])
    const all = await kit.ask('listSearches')
    expect(all.items.map(({ queries }) => queries)).toEqual([['send mail'], ['file a bug']])
    const { items } = await kit.ask('listSearches', { query: { unanswered: 'true' } })
    expect(items).toEqual([{ queries: ['send mail'], searches: 1, foundNothing: 1, ledToNoCall: 0, lastAt: at }])
    expect((await kit.ask('listSearches', { query: { project: 'other' } })).items).toEqual([])
  })
})
