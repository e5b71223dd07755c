import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AdminKit, adminKit } from '../admin-kit.case.ts'

const FILE = {
  mcpServers: { filed: { command: 'filed' } },
  projects: { Team: { servers: ['filed'], name: 'The Team' } },
  endpoints: { team: { project: 'Team' } },
}

let kit: AdminKit
beforeEach(async () => {
  kit = await adminKit({ file: FILE })
  await kit.ask('createServer', { body: { id: 'notes', command: 'notes' } })
})
afterEach(() => kit.stop())

const project = (id: string) => ({ params: { project: id } })
const endpoint = (id: string) => ({ params: { endpoint: id } })
const create = (body: object) => kit.ask('createProject', { body })

describe('projects', () => {
  it('[R25] [R29] are created with a trimmed name, an id made from it, and a strategy', async () => {
    const made = await create({ name: '  Über Work!  ', servers: ['notes'], optimization: 'bm25' })
    expect(made).toMatchObject({
      id: 'uber-work',
      name: 'Über Work!',
      managedBy: 'store',
      optimization: 'bm25',
      servers: ['notes'],
      settings: {
        strategy: { value: 'bm25', from: 'project' },
        exposure: { value: 'meta-tools', from: 'project' },
        maxTools: { value: 50, from: 'default' },
      },
      config: { name: 'Über Work!', optimization: 'bm25' },
    })
    expect(kit.models.current().projects.get('uber-work')?.disclosure.strategy).toBe('bm25')
  })

  it('[R29] have unique names, ignoring case, that are neither blank nor too long', async () => {
    await create({ name: 'Work' })
    const taken = [
      ['name', { name: 'wORK ' }],
      ['id', { id: 'WORK', name: 'x' }],
      ['name', { id: 'x', name: 'Work' }],
      ['name', { name: 'the team' }],
      ['id', { id: 'team' }],
      ['id', { id: 'Default' }],
    ] as const
    for (const [path, body] of taken) {
      const problem = await kit.problem('createProject', { body })
      expect(problem).toMatchObject({ code: 'NAME_TAKEN', status: 409 })
      expect(problem.problems).toEqual([
        { path, message: expect.stringMatching(/^the project ".*" already has this name/) },
      ])
    }
    const bad = [
      { name: '   ' },
      { name: '' },
      {},
      { id: 'x'.repeat(129) },
      { name: 7 },
      { id: '__unassigned__' },
      { name: '!!!' },
    ]
    for (const body of bad) {
      expect(await kit.problem('createProject', { body })).toMatchObject({ code: 'REQUEST_INVALID', status: 400 })
    }
    await create({ name: 'Other' })
    const rename = { ...project('other'), body: { name: 'WORK' } }
    expect(await kit.problem('changeProject', rename)).toMatchObject({
      code: 'NAME_TAKEN',
      problems: [{ path: 'name' }],
    })
    expect(await kit.ask('changeProject', { ...project('other'), body: { name: 'OTHER' } })).toMatchObject({
      name: 'OTHER',
    })
  })

  it('[R26] are changed key by key; null turns search off, and a setting replaces its aliases', async () => {
    await create({ id: 'work', servers: ['notes'], strategy: 'regex', maxTools: 5 })
    const change = (body: object) => kit.ask('changeProject', { ...project('work'), body })
    expect(await change({ optimization: null })).toMatchObject({ optimization: null, config: { maxTools: 5 } })
    expect((await change({ optimization: 'hybrid' })).config).not.toHaveProperty('strategy')
    expect(await change({ default_search_method: 'BM25' })).toMatchObject({ optimization: 'bm25' })
    expect((await change({ unset: ['default_search_method', 'maxTools'] })).config).toEqual({ servers: ['notes'] })
  })

  it.each(['optimization', 'strategy'])(
    'of MetaMCP change nothing but the strategy when %s turns search off and on',
    async (name) => {
      const settings = async () => {
        const { settings: effective } = await kit.ask('getProject', project('work'))
        return Object.fromEntries(Object.entries(effective).map(([key, { value }]) => [key, value]))
      }
      for (const own of [{}, { default_defer_loading: true }, { default_tool_visibility: 'SEARCH_ONLY' }]) {
        await create({ id: 'work', servers: ['notes'], default_search_method: 'BM25', ...own })
        const before = await settings()
        expect(before).toMatchObject({ dialect: 'metamcp', strategy: 'bm25' })
        await kit.ask('changeProject', { ...project('work'), body: { [name]: null } })
        expect(await settings()).toEqual({ ...before, strategy: null })
        await kit.ask('changeProject', { ...project('work'), body: { [name]: 'bm25' } })
        expect(await settings()).toEqual(before)
        await kit.ask('changeProject', { ...project('work'), body: { [name]: 'hybrid' } })
        expect(await settings()).toEqual({ ...before, strategy: 'hybrid' })
        await kit.ask('removeProject', project('work'))
      }
    },
  )

  it('refer to existing servers only, and keep their order', async () => {
    const made = await create({ id: 'work', servers: ['notes', 'filed'] })
    expect(made.servers).toEqual(['notes', 'filed'])
    const body = { servers: ['filed', 'nots'] }
    const { problems } = await kit.problem('changeProject', { ...project('work'), body })
    expect(problems).toEqual([{ path: 'servers[1]', message: 'there is no server "nots"; did you mean "notes"?' }])
    const reordered = await kit.ask('changeProject', { ...project('work'), body: { servers: ['filed', 'notes'] } })
    expect(reordered.servers).toEqual(['filed', 'notes'])
    expect(await kit.problem('createProject', { body: { id: 'x', servers: ['notes', 'notes'] } })).toMatchObject({
      problems: [{ path: 'servers[1]', message: '"notes" is listed twice' }],
    })
  })

  it('include the built-in one, which a change stores', async () => {
    expect(await kit.ask('getProject', project('default'))).toMatchObject({ managedBy: 'built-in', servers: ['notes'] })
    expect(await kit.problem('removeProject', project('default'))).toMatchObject({ code: 'REQUEST_INVALID' })
    const { revision } = await kit.ask('getProject', project('default'))
    const changed = await kit.ask('changeProject', {
      ...project('default'),
      body: { exposure: 'full' },
      headers: { 'if-match': revision ?? '' },
    })
    const late = { ...project('default'), body: { name: 'Everything' }, headers: { 'if-match': revision ?? '' } }
    expect(await kit.problem('changeProject', late)).toMatchObject({ code: 'REVISION_CONFLICT' })
    expect(changed).toMatchObject({ managedBy: 'store', settings: { exposure: { value: 'full', from: 'project' } } })
    await kit.ask('removeProject', project('default'))
    expect(await kit.ask('getProject', project('default'))).toMatchObject({ managedBy: 'built-in' })
  })

  it('of the file can be changed in the file only', async () => {
    expect(await kit.problem('changeProject', { ...project('Team'), body: {} })).toMatchObject({ code: 'FILE_MANAGED' })
    expect(await kit.problem('removeProject', project('Team'))).toMatchObject({ code: 'FILE_MANAGED' })
  })

  it('that do not exist are not found', async () => {
    for (const route of ['getProject', 'removeProject'] as const) {
      expect(await kit.problem(route, project('no'))).toMatchObject({ code: 'PROJECT_NOT_FOUND', status: 404 })
    }
    for (const route of ['changeProject', 'previewProject'] as const) {
      expect(await kit.problem(route, { ...project('no'), body: {} })).toMatchObject({ code: 'PROJECT_NOT_FOUND' })
    }
  })

  it('are removed with their endpoints; no token gains access', async () => {
    await create({ id: 'work', servers: ['notes'] })
    await kit.ask('createEndpoint', { body: { id: 'w1', project: 'work' } })
    await kit.ask('createToken', { body: { name: 'only', projects: ['work'] } })
    const removal = await kit.ask('removeProject', project('work'))
    expect(removal).toEqual({ removed: 'work', alsoRemoved: ['endpoint w1'], narrowed: ['token only'] })
    expect(kit.models.current().endpoints.has('w1')).toBe(false)
    expect([...kit.models.current().tokens.values()].map(({ projects }) => projects)).toEqual([new Set()])
    // The same name again is another project: the old token does not get it.
    await create({ id: 'work', servers: ['notes'] })
    expect([...kit.models.current().tokens.values()].map(({ projects }) => projects)).toEqual([new Set()])
  })

  it('[R29] of the same name are created once, even by concurrent requests', async () => {
    const bodies = ['Same', 'same', 'SAME', ' same '].map((name) => ({ name }))
    const answers = await Promise.all(bodies.map((body) => kit.send('createProject', { body })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409])
    expect(kit.store.current().projects).toHaveLength(1)
  })

  it('change only from the current revision', async () => {
    const { revision = '' } = await create({ id: 'work' })
    const ask = { ...project('work'), headers: { 'if-match': revision }, body: { name: 'x' } }
    await kit.ask('changeProject', ask)
    expect(await kit.problem('changeProject', ask)).toMatchObject({ code: 'REVISION_CONFLICT', status: 412 })
    const other = await kit.problem('changeProject', { ...ask, ...project('default') })
    expect(other).toMatchObject({ code: 'REVISION_CONFLICT' })
  })
})

describe('endpoints', () => {
  it('[M1] accept the names and values of MetaMCP, and show effective settings with their origin', async () => {
    await create({ id: 'meta', servers: ['notes'], default_defer_loading: true, default_search_method: 'BM25' })
    const made = await kit.ask('createEndpoint', {
      body: {
        id: 'm',
        project: 'meta',
        override_defer_loading: 'INHERIT',
        override_search_method: 'REGEX',
        override_tool_visibility: null,
      },
    })
    expect(made).toMatchObject({
      path: '/m/mcp',
      isServed: true,
      auth: 'token',
      settings: {
        strategy: { value: 'regex', from: 'endpoint' },
        exposure: { value: 'deferred', from: 'project' },
        deferLoading: { value: true, from: 'project' },
        dialect: { value: 'metamcp', from: 'project' },
        tokenBudget: { value: 10_000, from: 'default' },
      },
      config: { override_search_method: 'REGEX' },
    })
    const disabled = await kit.ask('changeEndpoint', {
      ...endpoint('m'),
      body: { override_defer_loading: 'DISABLED', override_tool_visibility: 'SEARCH_ONLY' },
    })
    expect(disabled.settings).toMatchObject({
      exposure: { value: 'search-only', from: 'endpoint' },
      deferLoading: { value: false, from: 'endpoint' },
    })
  })

  it('serve existing projects at free addresses, and without a token on loopback only', async () => {
    const problems = async (body: object) => (await kit.problem('createEndpoint', { body })).problems
    expect(await problems({ id: 'x', project: 'missing' })).toMatchObject([
      { path: 'project', message: expect.stringContaining('missing') },
    ])
    expect(await problems({ id: 'api' })).toMatchObject([
      { path: 'id', message: expect.stringContaining('own addresses') },
    ])
    expect(await problems({ id: 'a/b' })).toMatchObject([{ path: 'id' }])
    expect(await kit.problem('createEndpoint', { body: { id: 'TEAM' } })).toMatchObject({
      code: 'NAME_TAKEN',
      problems: [{ path: 'id' }],
    })
    expect(
      await kit.problem('createEndpoint', { body: { id: 'x', transparent: true, project: 'Team', auth: 'x' } }),
    ).toMatchObject({ problems: [{ path: 'auth', message: 'must be one of token, none' }] })
  })

  it('include the built-in one; those of the file can be changed in the file only', async () => {
    const { items } = await kit.ask('listEndpoints')
    expect(items.map(({ id, managedBy, path }) => [id, managedBy, path])).toEqual([
      ['default', 'built-in', '/mcp'],
      ['team', 'file', '/team/mcp'],
    ])
    expect(await kit.problem('removeEndpoint', endpoint('default'))).toMatchObject({ code: 'REQUEST_INVALID' })
    expect(await kit.problem('removeEndpoint', endpoint('team'))).toMatchObject({ code: 'FILE_MANAGED' })
    expect(await kit.problem('getEndpoint', endpoint('no'))).toMatchObject({ code: 'ENDPOINT_NOT_FOUND', status: 404 })
    const changed = await kit.ask('changeEndpoint', { ...endpoint('default'), body: { exposure: 'full' } })
    expect(changed).toMatchObject({ managedBy: 'store', project: 'default', config: { exposure: 'full' } })
    await kit.ask('removeEndpoint', endpoint('default'))
    expect(kit.models.current().endpoints.get('default')?.disclosure).toEqual({})
  })

  it('refuse a change elsewhere that would break one, and name it', async () => {
    await create({ id: 'one', servers: ['notes'] })
    await kit.ask('createEndpoint', { body: { id: 'plain', project: 'one', transparent: true } })
    const body = { servers: ['notes', 'filed'] }
    const { problems } = await kit.problem('changeProject', { ...project('one'), body })
    expect(problems).toMatchObject([{ path: 'endpoints.plain.transparent' }])
    expect(kit.store.current().projects[0]?.config.servers).toEqual(['notes'])
  })

  it('[M12] have connection snippets without secrets', async () => {
    const { url, items } = await kit.ask('endpointSnippets', endpoint('team'))
    expect(url).toBe('http://127.0.0.1:7420/team/mcp')
    expect(items.map(({ client }) => client)).toEqual([
      ...['Claude Code', 'VS Code', 'Codex', 'Gemini CLI', 'Claude Desktop', 'Cursor', 'VS Code Insiders', 'Qwen Code'],
      ...['Windsurf', 'Devin', 'Zed', 'opencode', 'Cline', 'Roo Code', 'Continue', 'Goose', 'Junie', 'Copilot CLI'],
      ...['Amp', 'LM Studio', 'Warp', 'JetBrains AI Assistant', 'Plain HTTP', 'stdio'],
      ...['Anthropic Messages API', 'OpenAI Responses API'],
    ])
    const programs = new Set(['Claude Desktop', 'stdio'])
    for (const { client, text } of items) expect(text, client).toContain(programs.has(client) ? 'team' : url)
    const elsewhere = await kit.ask('endpointSnippets', {
      ...endpoint('default'),
      query: { url: 'https://tools.example.org' },
    })
    expect(elsewhere.url).toBe('https://tools.example.org/mcp')
  })
})

describe('a preview', () => {
  it('shows the list and its cost for each kind of client, without saving', async () => {
    await create({ id: 'work', servers: ['notes'], exposure: 'full' })
    const tools = Array.from({ length: 30 }, (_, index) => ({
      name: `tool_${index}`,
      description: 'words '.repeat(40),
    }))
    await kit.offer('notes', tools)
    const preview = (body: object) => kit.ask('previewProject', { ...project('work'), body })
    const whole = await preview({})
    expect(whole).toMatchObject({ tools: 30, settings: { exposure: { value: 'full', from: 'project' } } })
    expect(whole.clients.map(({ client, exposure, listed }) => [client, exposure, listed])).toEqual([
      ['2026-07-28', 'full', 30],
      ['claude-code', 'full', 30],
      ['other', 'full', 30],
    ])
    expect(whole.clients[0]?.tokens).toBe(whole.tokensIfAllWereListed)
    const auto = await preview({ project: { exposure: 'auto', tokenBudget: 100 } })
    expect(auto.clients.map(({ exposure, listed }) => [exposure, listed])).toEqual([
      ['meta-tools', 2],
      ['deferred', 31],
      ['meta-tools', 2],
    ])
    expect(auto.clients[0]?.tokens).toBeLessThan(auto.tokensIfAllWereListed / 3)
    const limited = await preview({ endpoint: { maxToolsLimit: 4 } })
    expect(limited.clients.map(({ listed }) => listed)).toEqual([6, 5, 5])
    expect(kit.store.current().projects[0]?.config).toEqual({ servers: ['notes'], exposure: 'full' })
    expect(kit.store.current().endpoints).toEqual([])
  })

  it('applies the rights of a token, and works for projects of the file', async () => {
    await kit.offer('filed', [{ name: 'read', annotations: { readOnlyHint: true } }, { name: 'write' }])
    const { token } = await kit.ask('createToken', { body: { name: 'reader', readOnly: true } })
    const body = { token: token.id, project: { exposure: 'search-only' }, endpointId: 'team' }
    const seen = await kit.ask('previewProject', { ...project('Team'), body })
    expect([seen.tools, seen.clients[0]?.exposure]).toEqual([1, 'search-only'])
    const wrong = { project: { servers: ['missing'] } }
    expect(await kit.problem('previewProject', { ...project('Team'), body: wrong })).toMatchObject({
      code: 'REQUEST_INVALID',
    })
  })
})
