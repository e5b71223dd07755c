import type { AdminExport } from '@tooldex/contract/admin'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AdminKit, adminKit, requestOf } from '../admin-kit.case.ts'

const SECRET = 'canary-secret-91bd'
const FILE = {
  mcpServers: { filed: { command: 'filed' } },
  tokens: [{ name: 'filed', value: 'a-secret-of-the-file-1' }],
}

let kit: AdminKit
beforeEach(async () => {
  kit = await adminKit({ file: FILE })
})
afterEach(() => kit.stop())

async function fill(): Promise<void> {
  await kit.ask('createServer', { body: { id: 'notes', command: 'notes', env: { KEY: SECRET } } })
  await kit.ask('createProject', { body: { id: 'work', servers: ['notes', 'filed'], optimization: 'bm25' } })
  await kit.ask('createEndpoint', { body: { id: 'w', project: 'work' } })
  await kit.ask('createToken', { body: { name: 'laptop', projects: ['work'], expiresAt: kit.clock.now + 1_000_000 } })
  await kit.ask('createToken', { body: { name: 'root', kind: 'admin' } })
  await kit.ask('changeSettings', { body: { auditKeepDays: 30 } })
}

const actions = (plan: { entries: readonly { what: string; id: string; action: string }[] }) =>
  plan.entries.map(({ what, id, action }) => `${action} ${what} ${id}`)

describe('export and import', () => {
  it('move the configuration to another gateway, which then answers the same', async () => {
    await fill()
    const exported = await kit.ask('exportAll', { query: { secrets: 'true' } })
    const other = await adminKit()
    const plan = await other.ask('importAll', { body: exported })
    expect(plan).toMatchObject({ isApplied: false, problems: [] })
    expect(other.store.current().servers).toEqual([])
    const done = await other.ask('importAll', { body: exported, query: { dryRun: 'false' } })
    expect(done.isApplied).toBe(true)
    expect(actions(done)).toEqual(actions(plan))
    expect(actions(done)).toEqual([
      'create server filed',
      'create server notes',
      'create project work',
      'create endpoint w',
      'create token filed',
      'create token laptop',
      'change setting auditKeepDays',
    ])
    const again = await other.ask('exportAll', { query: { secrets: 'true' } })
    expect({ ...again, exportedAt: 0 }).toEqual({ ...exported, exportedAt: 0 })
    expect([...other.models.current().tokens.keys()].toSorted()).toEqual(
      [...kit.models.current().tokens.keys()].toSorted(),
    )
    const twice = await other.ask('importAll', { body: exported, query: { dryRun: 'false' } })
    expect(new Set(twice.entries.map(({ action }) => action))).toEqual(new Set(['unchanged']))
    await other.stop()
  })

  it('give secrets out with a fresh proof only', async () => {
    await fill()
    const stale = { tokenId: 'a', name: 'Ada', role: 'administrator', via: 'session', isFresh: false } as const
    const answered = async (secrets: 'true' | 'false') => {
      const response = await kit.api(requestOf('exportAll', { query: { secrets } }), stale)
      return { status: response.status, text: await response.text() }
    }
    const refused = await answered('true')
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('FRESH_PROOF_REQUIRED')])
    expect(refused.text).not.toContain(SECRET)
    expect((await answered('false')).status).toBe(200)
  })

  it('leave secrets out by default, and replace masks by current values', async () => {
    await fill()
    const exported: AdminExport = await kit.ask('exportAll')
    expect(JSON.stringify(exported)).not.toContain(SECRET)
    const here = await kit.ask('importAll', { body: exported, query: { dryRun: 'false' } })
    expect(actions(here).filter((action) => !action.startsWith('unchanged'))).toEqual([])
    expect(kit.store.current().servers[0]?.config.env).toEqual({ KEY: SECRET })
    const other = await adminKit()
    const plan = await other.ask('importAll', { body: exported })
    expect(plan.problems).toEqual([
      { path: 'mcpServers.notes', message: 'has masked values (••••); export with secrets' },
    ])
    const refused = await other.problem('importAll', { body: exported, query: { dryRun: 'false' } })
    expect(refused).toMatchObject({ code: 'REQUEST_INVALID' })
    expect(other.store.current().projects).toEqual([])
    await other.stop()
  })

  it('leave entries of the file unchanged', async () => {
    const body = {
      mcpServers: { filed: { command: 'other' }, FILED: { command: 'x' }, fresh: { command: 'f' } },
      listen: { port: 1 },
    }
    const plan = await kit.ask('importAll', { body, query: { dryRun: 'false' } })
    expect(actions(plan)).toEqual([
      'refused server filed',
      'refused server FILED',
      'create server fresh',
      'refused setting listen',
    ])
    expect(kit.store.current().servers.map(({ id }) => id)).toEqual(['fresh'])
  })

  it('change entries of the same name, remove none, and refuse an invalid result', async () => {
    await fill()
    const body = { projects: { work: { servers: ['filed'] } } }
    expect(actions(await kit.ask('importAll', { body, query: { dryRun: 'false' } }))).toEqual(['change project work'])
    expect(kit.store.current().servers).toHaveLength(1)
    const bad = [
      {},
      { format: 'tooldex-export', version: 2, config: {} },
      { mcpServers: { x: { comand: 'x' } } },
      { projects: { x: { servers: ['missing'] } } },
      { projects: { a: { name: 'Same', servers: [] }, b: { name: 'same', servers: [] } } },
    ]
    for (const each of bad) {
      expect(await kit.problem('importAll', { body: each, query: { dryRun: 'false' } })).toMatchObject({
        code: 'REQUEST_INVALID',
      })
    }
    const dry = await kit.ask('importAll', { body: { projects: { x: { servers: ['missing'] } } } })
    expect(dry.problems).toMatchObject([{ path: 'projects.x.servers[0]' }])
  })
})

describe('a pasted configuration', () => {
  const preview = (value: unknown) =>
    kit.ask('previewServers', { body: { text: typeof value === 'string' ? value : JSON.stringify(value) } })

  it('is read in every common shape, without starting anything', async () => {
    const entry = { command: 'npx', args: ['-y', '@scope/server-notes@1.2.3', '--api-key=abc'], env: { KEY: SECRET } }
    const forms = [
      { mcpServers: { notes: entry } },
      { servers: { notes: entry } },
      { mcp: { servers: { notes: entry } } },
      { notes: entry },
      `// from a blog\n{ "mcpServers": { "notes": ${JSON.stringify(entry)}, } }`,
    ]
    for (const form of forms) {
      const { items } = await preview(form)
      expect(items).toMatchObject([{ id: 'notes', isNew: true, transport: 'stdio', variables: ['KEY'], problems: [] }])
      expect(items[0]?.runs).toBe('npx -y @scope/server-notes@1.2.3 --api-key=••••')
    }
    expect((await preview(entry)).items[0]?.id).toBe('server-notes')
    expect(kit.store.current().servers).toEqual([])
    expect(kit.pool.all()).toHaveLength(1)
  })

  it('reports problems, missing variables, ignored keys and duplicates per entry', async () => {
    const { items } = await preview({
      mcpServers: {
        filed: { command: 'x' },
        web: {
          url: 'https://u:p@mcp.example.org/x?k=v',
          headers: { Authorization: 'Bearer ${input:token}' },
          alwaysAllow: [],
        },
        bad: { command: 7 },
      },
    })
    expect(items[0]).toMatchObject({
      isNew: false,
      problems: [{ message: 'a server called "filed" already exists' }],
    })
    expect(items[1]).toMatchObject({
      connects: 'https://••••@mcp.example.org/x?k=••••',
      missingVariables: ['token'],
      ignoredKeys: ['alwaysAllow'],
      problems: [],
    })
    expect(items[2]?.problems).toMatchObject([{ path: 'command', message: 'must be a text' }])
    expect(items[2]).not.toHaveProperty('config')
    for (const text of ['', 'nonsense', '[]', '{}', '{"a":1}', '{"mcpServers"']) {
      expect(await kit.problem('previewServers', { body: { text } })).toMatchObject({ code: 'REQUEST_INVALID' })
    }
  })
})
