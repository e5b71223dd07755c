import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AdminKit, adminKit } from '../admin-kit.case.ts'

// Hints that come after the first list are held back otherwise.
const FILE = { mcpServers: { filed: { command: 'filed' } }, trust: 'off' }

let kit: AdminKit
beforeEach(async () => {
  kit = await adminKit({ file: FILE })
  for (const id of ['notes', 'mail']) await kit.ask('createServer', { body: { id, command: id } })
  await kit.ask('createProject', { body: { id: 'work', servers: ['notes', 'mail'] } })
  await kit.offer('notes', [
    { name: 'add_note', description: 'Writes a note down' },
    { name: 'delete_note', description: 'Removes a note for ever' },
  ])
  await kit.offer('mail', [{ name: 'send_mail', description: 'Sends a message to a person' }])
})
afterEach(() => kit.stop())

const tool = (key: string) => ({ params: { tool: key } })
const inWork = (key: string) => ({ params: { project: 'work', tool: key } })

describe('tools', () => {
  it('are listed in pages, by key, and filtered', async () => {
    const first = await kit.ask('listTools', { query: { limit: '2' } })
    expect(first.items.map(({ key }) => key)).toEqual(['mail:send_mail', 'notes:add_note'])
    expect(first.total).toBe(3)
    const next = await kit.ask('listTools', { query: { limit: '2', cursor: first.nextCursor } })
    expect(next.items.map(({ key }) => key)).toEqual(['notes:delete_note'])
    expect(next.nextCursor).toBeUndefined()
    const ofMail = await kit.ask('listTools', { query: { server: 'mail' } })
    expect(ofMail.items).toMatchObject([
      { key: 'mail:send_mail', allowed: true, serverState: 'running', projects: [{ project: 'work', eligible: true }] },
    ])
    expect((await kit.ask('listTools', { query: { project: 'default' } })).total).toBe(0)
  })

  it('get another name in a project, unless it is taken or clients could not list it', async () => {
    const renamed = await kit.ask('changeProjectTool', { ...inWork('notes:add_note'), body: { name: 'jot_down' } })
    expect(renamed).toMatchObject({ name: 'add_note', projects: [{ override: { name: 'jot_down' } }] })
    const { clients } = await kit.ask('previewProject', {
      params: { project: 'work' },
      body: { project: { exposure: 'full' } },
    })
    expect(clients[0]?.names).toEqual(['jot_down', 'notes__delete_note', 'mail__send_mail'])
    const rename = (name: string) => kit.problem('changeProjectTool', { ...inWork('mail:send_mail'), body: { name } })
    for (const name of ['delete_note', 'notes__delete_note', 'Notes___Delete_note']) {
      expect(await rename(name)).toMatchObject({
        code: 'NAME_TAKEN',
        problems: [{ path: 'name', message: `"${name}" is the name of notes:delete_note already` }],
      })
    }
    for (const name of ['jot_down', 'JOT_DOWN', 'tool_execute', '', 'a b', 'ä', 'x'.repeat(51)]) {
      expect(await rename(name), name).toMatchObject({ code: 'REQUEST_INVALID' })
    }
    expect((await rename('jot_down')).detail).toContain('notes:add_note')
  })

  it('change many at once in a project, or none of them', async () => {
    const params = { project: 'work' }
    const tools = { 'notes:add_note': { allowed: false }, 'mail:send_mail': { allowed: false, pinned: true } }
    expect(await kit.ask('changeProjectTools', { params, body: { tools } })).toEqual({ changed: 2 })
    const forbidden = async () =>
      (await kit.ask('listTools', { query: { project: 'work', allowed: 'false' } })).items.map(({ key }) => key)
    expect(await forbidden()).toEqual(['mail:send_mail', 'notes:add_note'])
    const wrong = { 'notes:add_note': { unset: ['allowed'] }, 'none:x': { allowed: false } }
    expect(await kit.problem('changeProjectTools', { params, body: { tools: wrong } })).toMatchObject({
      code: 'REQUEST_INVALID',
    })
    expect(await forbidden()).toEqual(['mail:send_mail', 'notes:add_note'])
  })

  it('refuse a cursor of another filter and malformed ones', async () => {
    const { nextCursor } = await kit.ask('listTools', { query: { limit: '1' } })
    for (const query of [{ cursor: nextCursor, server: 'notes' }, { cursor: 'bm9uc2Vuc2U' }, { cursor: '' }]) {
      expect(await kit.problem('listTools', { query })).toMatchObject({ problems: [{ path: 'cursor' }] })
    }
    expect(await kit.problem('listTools', { query: { limit: '0' } })).toMatchObject({ code: 'REQUEST_INVALID' })
    const unknown = await kit.problem('listTools', { query: { sever: 'x' } as never })
    expect(unknown.problems).toEqual([{ path: 'sever', message: 'unknown key; did you mean server?' }])
  })

  it('are found by search', async () => {
    const { items } = await kit.ask('listTools', { query: { q: 'write something down', limit: '1' } })
    expect(items.map(({ key }) => key)).toEqual(['notes:add_note'])
  })

  it('[R18] are forbidden in all projects, and allowed again, at once', async () => {
    const denied = await kit.ask('changeTool', { ...tool('notes:delete_note'), body: { allowed: false } })
    expect(denied).toMatchObject({ allowed: false, projects: [{ eligible: false, forbiddenBy: 'server' }] })
    expect((await kit.ask('listTools', { query: { allowed: 'false' } })).items.map(({ key }) => key)).toEqual([
      'notes:delete_note',
    ])
    const call = { ...tool('notes:delete_note'), body: { project: 'work' } }
    expect(await kit.problem('callTool', call)).toMatchObject({ code: 'TOOL_DISABLED', status: 403 })
    const allowed = await kit.ask('changeTool', { ...tool('notes:delete_note'), body: { allowed: true } })
    expect(allowed).toMatchObject({ allowed: true, projects: [{ eligible: true }] })
    expect(kit.store.current().servers[0]?.config.toolPermissions).toEqual({})
  })

  it('[M1] are forbidden, pinned, deferred and described per project', async () => {
    const change = (body: object) => kit.ask('changeProjectTool', { ...inWork('notes:add_note'), body })
    const changed = await change({ allowed: false, pinned: true, defer_loading: 'ENABLED', description: 'Ours' })
    expect(changed.projects).toMatchObject([
      { project: 'work', eligible: false, forbiddenBy: 'project', override: { pinned: true, description: 'Ours' } },
    ])
    expect(
      kit.models
        .current()
        .projects.get('work')
        ?.tools.get('notes:add_note' as never),
    ).toMatchObject({
      allowed: false,
      deferLoading: true,
    })
    await change({ unset: ['allowed', 'pinned', 'defer_loading', 'description'] })
    expect(kit.store.current().projects[0]?.config.tools).toEqual({})
  })

  it('can have settings before their server lists them, except for unknown servers and those of the file', async () => {
    const early = await kit.ask('changeProjectTool', { ...inWork('notes:later'), body: { allowed: false } })
    expect(early).toMatchObject({ key: 'notes:later', tokens: 0, projects: [{ forbiddenBy: 'project' }] })
    expect(await kit.ask('getTool', tool('notes:later'))).toMatchObject({ key: 'notes:later' })
    const elsewhere = await kit.problem('changeProjectTool', { ...inWork('filed:x'), body: { allowed: false } })
    expect(elsewhere.problems?.[0]?.message).toContain('has no server "filed"')
    expect(await kit.problem('changeTool', { ...tool('filed:x'), body: { allowed: false } })).toMatchObject({
      code: 'FILE_MANAGED',
    })
    expect(await kit.problem('changeTool', { ...tool('missing:x'), body: { allowed: true } })).toMatchObject({
      code: 'SERVER_NOT_FOUND',
    })
    expect(await kit.problem('getTool', tool('notes:no'))).toMatchObject({ code: 'TOOL_NOT_FOUND', status: 404 })
    for (const key of ['plain', ':x', 'x:']) {
      expect((await kit.problem('getTool', tool(key))).status).toBe(400)
    }
  })

  it('[R36] [R42] are tried out on the normal call path: validated, and audited under the token of the admin', async () => {
    kit.pool.get('notes')?.answers.set('tools/call', { content: [{ type: 'text', text: 'done' }] })
    const called = await kit.ask('callTool', { ...tool('notes:add_note'), body: { project: 'work', arguments: {} } })
    expect(called.result).toEqual({ content: [{ type: 'text', text: 'done' }] })
    expect(kit.audited().filter(({ kind }) => kind !== 'change')).toMatchObject([
      {
        kind: 'call',
        tokenId: 'admin-1',
        projectId: 'work',
        endpointId: 'admin',
        toolKey: 'notes:add_note',
        outcome: 'ok',
      },
    ])
    expect(await kit.ask('getServer', { params: { server: 'notes' } })).toMatchObject({ latency: { calls: 1 } })
    const outside = { ...tool('notes:add_note'), body: { project: 'default' } }
    expect(await kit.problem('callTool', outside)).toMatchObject({ code: 'TOOL_NOT_FOUND' })
    const nowhere = { ...tool('notes:add_note'), body: { project: 'no' } }
    expect(await kit.problem('callTool', nowhere)).toMatchObject({
      code: 'PROJECT_NOT_FOUND',
      problems: [{ path: 'project' }],
    })
  })
})

describe('filters of tools', () => {
  const keys = async (query: object): Promise<string[]> =>
    (await kit.ask('listTools', { query })).items.map(({ key }) => key)

  beforeEach(async () => {
    await kit.offer('notes', [
      { name: 'read', description: 'Reads a note', annotations: { readOnlyHint: true, destructiveHint: true } },
      { name: 'drop', description: 'Drops a note', annotations: { destructiveHint: true, idempotentHint: true } },
      { name: 'other', description: 'Another note', annotations: { readOnlyHint: 'yes' } },
    ])
    await kit.offer('mail', [{ name: 'send', description: 'Sends a note', annotations: { openWorldHint: true } }])
  })

  it('use the hints of servers, and treat read-only tools as not destructive', async () => {
    expect(await keys({ readOnly: 'true' })).toEqual(['notes:read'])
    expect(await keys({ readOnly: 'false' })).toEqual(['mail:send', 'notes:drop', 'notes:other'])
    expect(await keys({ destructive: 'true' })).toEqual(['notes:drop'])
    expect(await keys({ destructive: 'false', server: 'notes' })).toEqual(['notes:other', 'notes:read'])
    expect(await keys({ idempotent: 'true' })).toEqual(['notes:drop'])
    expect(await keys({ openWorld: 'true' })).toEqual(['mail:send'])
    expect(await keys({ openWorld: 'true', destructive: 'true' })).toEqual([])
  })

  it('match tools that one project, or any project, pins and defers', async () => {
    await kit.ask('createProject', { body: { id: 'late', servers: ['mail'], exposure: 'deferred' } })
    await kit.ask('changeProjectTool', { ...inWork('notes:read'), body: { pinned: true } })
    await kit.ask('changeProjectTool', { ...inWork('notes:drop'), body: { deferLoading: true } })
    expect(await keys({ pinned: 'true' })).toEqual(['notes:read'])
    expect(await keys({ pinned: 'true', project: 'late' })).toEqual([])
    expect(await keys({ deferred: 'true' })).toEqual(['mail:send', 'notes:drop'])
    expect(await keys({ deferred: 'true', project: 'work' })).toEqual(['notes:drop'])
    expect(await keys({ deferred: 'false', pinned: 'false' })).toEqual(['notes:other'])
    const { projects } = await kit.ask('getTool', tool('mail:send'))
    expect(projects.map(({ project, deferred }) => [project, deferred])).toEqual([
      ['work', false],
      ['late', true],
    ])
    await kit.ask('changeProjectTool', { params: { project: 'late', tool: 'mail:send' }, body: { pinned: true } })
    expect(await keys({ deferred: 'true', project: 'late' })).toEqual([])
  })

  it('apply before the search, so that other hits do not take the place of matching ones', async () => {
    const found = await kit.ask('listTools', { query: { q: 'note', destructive: 'true', limit: '1' } })
    expect(found).toMatchObject({ items: [{ key: 'notes:drop' }], total: 1 })
  })

  it('are part of the cursor, and are refused if invalid', async () => {
    const first = await kit.ask('listTools', { query: { readOnly: 'false', limit: '1' } })
    expect(await keys({ readOnly: 'false', limit: '1', cursor: first.nextCursor })).toEqual(['notes:drop'])
    const other = { readOnly: 'true', limit: '1', cursor: first.nextCursor }
    expect(await kit.problem('listTools', { query: other as object })).toMatchObject({ problems: [{ path: 'cursor' }] })
    const maybe = await kit.problem('listTools', { query: { pinned: 'maybe' } as never })
    expect(maybe).toMatchObject({ status: 400, problems: [{ path: 'pinned' }] })
    const nowhere = await kit.problem('listTools', { query: { project: 'no', pinned: 'true' } })
    expect(nowhere).toMatchObject({ code: 'PROJECT_NOT_FOUND', problems: [{ path: 'project' }] })
  })
})

describe('the playground', () => {
  it('searches with several strategies, and explains which tools were left out', async () => {
    await kit.ask('changeProjectTool', { ...inWork('notes:delete_note'), body: { allowed: false } })
    const { token } = await kit.ask('createToken', { body: { name: 'mailer', servers: ['mail'] } })
    const ask = { query: 'note', project: 'work', strategies: ['bm25', 'lexical'] }
    const { answers } = await kit.ask('searchTools', { body: ask })
    expect(answers.map(({ strategy, answeredBy }) => [strategy, answeredBy])).toEqual([
      ['bm25', 'bm25'],
      ['lexical', 'lexical'],
    ])
    for (const { hits, leftOut, tokens } of answers) {
      expect(hits.map(({ toolKey }) => toolKey)).toEqual(['notes:add_note'])
      expect(hits[0]?.explanation).toBeDefined()
      expect(tokens).toBeGreaterThan(10)
      expect(leftOut).toMatchObject([{ toolKey: 'notes:delete_note', reason: 'It is disabled in the project "work"' }])
    }
    const asToken = await kit.ask('searchTools', { body: { ...ask, token: token.id, strategies: ['bm25'] } })
    expect(asToken.answers[0]?.hits).toEqual([])
    expect(asToken.answers[0]?.leftOut.map(({ reason }) => reason)).toContain('It is for "mail"')
    // A look of an administrator is in no figure about agents.
    expect(kit.audited().filter(({ kind }) => kind === 'search')).toEqual([])
  })

  it('reports a failing strategy beside the others', async () => {
    const { answers } = await kit.ask('searchTools', {
      body: { query: ['a', 'note'], project: 'work', strategies: ['bm25', 'cloud'] },
    })
    expect(answers).toHaveLength(2)
    expect(answers[0]?.hits.length).toBeGreaterThan(0)
    for (const path of ['project', 'token']) {
      const problem = await kit.problem('searchTools', { body: { query: 'x', [path]: 'no' } })
      expect(problem).toMatchObject({ status: 404, problems: [{ path }] })
    }
    expect(await kit.problem('searchTools', { body: { query: 'x', strategies: ['magic'] } })).toMatchObject({
      code: 'REQUEST_INVALID',
    })
  })
})
