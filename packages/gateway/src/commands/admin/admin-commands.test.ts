import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { useCommands } from '../use-commands.case.ts'

const { configure, folder, leaveRecord, run, runningGateway } = useCommands()
const ok = async (line: string | readonly string[]) => {
  const result = await run(line)
  expect([result.code, result.err()]).toEqual([0, ''])
  return result
}

describe('tooldex server', () => {
  it('adds programs and URLs, shows them without secrets, and changes only the given settings', async () => {
    const added = await ok('server add files --env KEY=s3cret-value --env OTHER=1 --cwd /srv -- run -y x .')
    expect(added.out()).toContain('added the server files')
    await ok(['server', 'add', 'web', '--url', 'https://x.example/mcp', '--header', 'Authorization: Bearer s3cret'])
    const shown = await ok('server show files')
    expect(shown.out()).toMatch(/runs +run -y x \.\n/)
    expect(shown.out()).toMatch(/environment +KEY, OTHER\n/)
    const list = await ok('server list --json')
    expect(list.json()['servers']).toMatchObject([
      { id: 'a', managedBy: 'file' },
      { id: 'b', managedBy: 'file' },
      { id: 'files', managedBy: 'store', config: { command: 'run', args: ['-y', 'x', '.'], cwd: '/srv' } },
      { id: 'web', transport: 'http' },
    ])
    expect(list.out() + shown.out()).not.toContain('s3cret')
    await ok('server set files --env OTHER=2 --start on-demand --limit callTimeoutMs=5000')
    await ok('server set files --instances per-client --no-roots')
    expect((await ok('server show files')).out()).toMatch(/processes +per-client\n/)
    expect((await run('server set web --instances shared')).err()).toContain('is for programs')
    const exported = (await ok('export --with-secrets')).json()
    expect(exported).toMatchObject({
      config: {
        mcpServers: {
          files: {
            env: { KEY: 's3cret-value', OTHER: '2' },
            start: 'on-demand',
            instances: 'per-client',
            roots: false,
            limits: { callTimeoutMs: 5_000 },
          },
          web: { headers: { Authorization: 'Bearer s3cret' } },
        },
      },
    })
  })

  it('enables, disables, denies tools and removes, and lists the consequences', async () => {
    await ok('server add s -- x')
    await ok('project add p --server s')
    expect((await ok('server disable s')).out()).toContain('disabled the server s')
    expect((await ok('server list')).out()).toMatch(/ {2}s +disabled /)
    expect((await ok('server enable s')).out()).toContain('enabled the server s')
    await ok('server tool s:drop --deny')
    expect((await ok('server show s --json')).json()).toMatchObject({ config: { toolPermissions: { drop: false } } })
    expect((await ok('server remove s')).out()).toMatch(/removed the server s\n.*project p no longer names it/)
    expect((await run('server show s')).code).toBe(3)
  })

  it('imports the servers of Claude, Cursor and VS Code, and keeps existing ones', async () => {
    const theirs = {
      mcpServers: { a: { command: 'other' }, new: { command: 'npx', args: ['-y', 'x'] }, bad: { foo: 1 } },
    }
    writeFileSync(join(folder(), 'mcp.json'), JSON.stringify(theirs))
    const dry = await run('server import mcp.json --dry-run')
    expect(dry.out()).toMatch(/new +would be added/)
    expect((await ok('ids server')).out()).toBe('a\nb\n')
    const done = await run('server import mcp.json')
    expect(done.code).toBe(2)
    expect(done.out()).toMatch(/a +exists already/)
    expect(done.out()).toMatch(/new +added/)
    expect(done.out()).toMatch(/bad +rejected/)
    expect((await ok('ids server')).out()).toBe('a\nb\nnew\n')
  })

  it.each([
    ['server add x', 2, 'needs a command or a URL'],
    ['server add x --env NOVALUE -- y', 2, '--env takes NAME=value'],
    ['server add a -- y', 2, 'already'],
    ['server add x:y -- z', 2, 'no colon'],
    [['server', 'add', ' ', '--', 'z'], 2, ''],
    [`server add ${'x'.repeat(200)} -- z`, 2, '128'],
    ['server set a --start on-demand', 2, 'tooldex.json'],
    ['server remove nowhere', 3, 'no server "nowhere"'],
    ['server tool s:x', 2, '--deny or --allow'],
    ['server restart a', 4, 'running gateway'],
    ['server logs nowhere', 3, 'nowhere'],
  ])('answers %j with exit code %i and a helpful message', async (line, code, sentence) => {
    const result = await run(line)
    expect(result.code).toBe(code)
    expect(result.err()).toContain(sentence)
    expect(result.out()).toBe('')
  })
})

describe('tooldex project and endpoint', () => {
  it('adds, changes, shows and removes', async () => {
    await ok(['project', 'add', 'work', '--name', ' The work ', '--server', 'a', '--exposure', 'limited'])
    await ok('project servers work --add b')
    await ok('project set work --strategy off --max-tools 7')
    await ok('endpoint add w --project work --exposure full')
    const shown = await ok('project show work')
    expect(shown.out()).toMatch(/name +The work\n +servers +a, b\n +endpoints +w\n/)
    expect(shown.out()).toMatch(/exposure +"limited" \(project\)/)
    expect(shown.out()).toMatch(/strategy +null \(project\)/)
    expect((await ok('endpoint show w')).out()).toMatch(/exposure +"full" \(endpoint\)/)
    await ok('endpoint set w --unset exposure')
    expect((await ok('endpoint show w')).out()).toMatch(/exposure +"limited" \(project\)/)
    await ok('project servers work --remove a')
    expect((await ok('project list')).out()).toMatch(/work +The work .* b\n/)
    expect((await ok('endpoint list')).out()).toMatch(/w +\/w\/mcp +work +limited +token +store/)
    expect((await ok('project remove work')).out()).toMatch(/removed the project work\n.*removed endpoint w, too/)
  })

  it('changes and resets the settings of a tool in a project', async () => {
    await ok('project add p --server a')
    await ok('project tool p a:drop --deny --pin')
    const tools = async () => ((await ok('project show p --json')).json()['config'] as { tools?: object }).tools
    expect(await tools()).toEqual({ 'a:drop': { allowed: false, pinned: true } })
    await ok('project tool p a:drop --allow --no-pin --defer')
    expect(await tools()).toEqual({ 'a:drop': { allowed: true, pinned: false, deferLoading: true } })
    await ok('project tool p a:drop --reset')
    expect((await tools()) ?? {}).toEqual({})
  })

  it.each([
    ['project add p --server nowhere', 2, 'there is no server "nowhere"'],
    ['project tool default a:x', 2, '--deny'],
    ['project tool default a:x --deny --allow', 2, 'exclude each other'],
    ['project tool nowhere a:x --deny', 3, 'no project "nowhere"'],
    ['project servers default --remove x', 2, 'has no x'],
    ['project set default --exposure sideways', 2, 'sideways'],
    ['endpoint add api', 2, 'take another'],
    ['endpoint add x --project nowhere', 2, 'there is no project "nowhere"'],
    ['endpoint remove nowhere', 3, 'no endpoint "nowhere"'],
  ])('answers %j with exit code %i and a helpful message', async (line, code, sentence) => {
    const result = await run(line)
    expect([result.code, result.err()]).toEqual([code, expect.stringContaining(sentence)])
  })
})

describe('tooldex token', () => {
  it('[R44] shows a secret once, lists scopes, explains and revokes by name', async () => {
    const made = await ok('token create --name Laptop --project default --server a --read-only --expires 2027-01-31')
    expect(made.out()).toMatch(
      /token +tdx_[\w-]{43} +\(shown once\)\n +may +projects default, servers a, read-only tools/,
    )
    const list = await ok('token list')
    expect(list.out()).toMatch(/Laptop +client +2027-01-31 00:00 +- +store +projects default, servers a/)
    expect(list.out()).not.toContain('tdx_')
    const explained = await run('token explain laptop a:x')
    expect([explained.code, explained.out()]).toEqual([1, expect.stringContaining('Laptop cannot use a:x')])
    expect((await ok('token rotate laptop --overlap 7d')).out()).toMatch(
      /tdx_[\w-]{43}[^]*as the token Laptop \(before /,
    )
    expect((await run('token rotate laptop --overlap soon')).err()).toContain('--overlap takes 0')
    expect((await ok('token revoke LAPTOP')).out()).toContain('revoked the token Laptop')
    expect((await run('token revoke laptop')).code).toBe(3)
    expect((await ok('token create --name ops --admin')).out()).toMatch(/tdxa_/)
    expect((await ok('token create --name night --role operator')).out()).toMatch(/tdxa_[^]*to restart servers/)
    expect((await ok('token list')).out()).toMatch(/night +operator [^]*ops +administrator /)
    expect((await ok('token role night reader')).out()).toContain('night is now reader')
    expect((await run('token role night king')).err()).toContain('reader, operator, administrator')
    expect((await run('token role ops reader')).err()).toContain('the only administrator')
  })

  it.each([
    ['token create --name x --expires soon', '2027-01-31'],
    ['token create --name x --project nowhere', 'there is no project "nowhere"'],
    [['token', 'create', '--name', '  '], 'must not be empty'],
    ['token create --name local', 'take another'],
    [`token create --name ${'x'.repeat(300)}`, '200'],
  ])('rejects %j', async (line, sentence) => {
    const result = await run(line)
    expect([result.code, result.err()]).toEqual([2, expect.stringContaining(sentence)])
  })
})

describe('tooldex server logs', () => {
  it('follows no log where no gateway runs, and says so', async () => {
    await ok('server add logged -- no-such-program')
    const refused = await run('server logs logged --follow')
    expect([refused.code, refused.err()]).toEqual([4, expect.stringContaining('only a running gateway has new lines')])
    await ok('server remove logged')
  })
})

describe('tooldex audit', () => {
  it('is empty at first, and accepts relative times', async () => {
    for (const since of ['90s', '15m', '1h', '7d', '2026-01-31']) {
      expect((await ok(`audit --since ${since}`)).out()).toContain('no entries')
    }
    expect((await run('audit --since yesterday')).code).toBe(2)
    expect((await run('audit --follow')).code).toBe(4)
    await ok('audit export --csv audit.csv --since 1h')
    expect(readFileSync(join(folder(), 'audit.csv'), 'utf8').split('\n')[0]).toContain('outcome')
    const lines = (await ok('audit export --since 1h')).out().trim().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as { kind: string }).kind)).toEqual(['export', 'end'])
  })
})

describe('tooldex export and import', () => {
  it('moves the whole configuration to another gateway, and back', async () => {
    await ok('server add s --env KEY=s3cret -- x')
    await ok('project add p --server s a')
    await ok('token create --name t --project p')
    writeFileSync(join(folder(), 'moved.json'), '', { mode: 0o644 })
    await ok('export --with-secrets --stored-only moved.json')
    expect(statSync(join(folder(), 'moved.json')).mode & 0o777).toBe(0o600)
    const dry = await ok('import moved.json --dry-run --data elsewhere')
    expect(dry.out()).toMatch(/server +s +create/)
    expect(dry.out()).toContain('this was a dry run')
    expect((await ok('ids project --data elsewhere')).out()).toBe('default\n')
    await ok('import moved.json --data elsewhere')
    const [before, after] = [await ok('export --with-secrets'), await ok('export --with-secrets --data elsewhere')]
    expect(after.json()['config']).toEqual(before.json()['config'])
    expect((await ok('import moved.json')).out()).toMatch(/server +s +unchanged/)
  })

  it('rejects unreadable files, and entries that refer to missing ones', async () => {
    writeFileSync(join(folder(), 'bad.json'), '{"projects":{"p":{"servers":["nowhere"]}}}')
    expect((await run('import bad.json')).code).toBe(2)
    writeFileSync(join(folder(), 'cut.json'), '{"projects":')
    expect((await run('import cut.json')).err()).toContain('not valid JSON')
    expect((await run('import gone.json')).err()).toContain('ENOENT')
  })
})

describe('an entry of the configuration file', () => {
  it('is shown, and cannot be changed; the error names the file', async () => {
    configure({ mcpServers: { a: { command: 'a' } }, projects: { p: { servers: ['a'] } }, dataDir: 'data' })
    for (const line of [
      'server disable a',
      'project set p --name x',
      'project tool p a:x --deny',
      'project remove p',
    ]) {
      const { code, err } = await run(line)
      expect([code, err()]).toEqual([2, expect.stringContaining(join(folder(), 'tooldex.json'))])
    }
  })

  it('prevents the start if it is also stored, and the command in the message fixes that', async () => {
    await ok('server add twice -- x')
    configure({ mcpServers: { twice: { command: 'y' } }, dataDir: 'data' })
    const { code, err } = await run('serve --exit')
    expect(code).toBe(2)
    expect(err()).toContain('tooldex.json:1:')
    const remedy = /`tooldex (server remove twice)`/.exec(err())?.[1] ?? ''
    await ok(remedy)
    expect((await run('serve --exit')).code).toBe(0)
  })

  it('may refer to stored entries that were removed, which only narrows it', async () => {
    await ok('project add p --server a b')
    await ok('token create --name t --server b')
    configure({ mcpServers: { a: { command: 'a' } }, dataDir: 'data' })
    expect((await run('serve --exit')).code).toBe(0)
    expect((await ok('project show p')).out()).toMatch(/servers +a\n +missing +b\n/)
  })
})

describe('a running gateway', () => {
  it('is called with the owner’s token, and only for its own database', async () => {
    const { url, requests } = await runningGateway({ items: [] })
    await ok('server list')
    expect(requests).toMatchObject([{ url: '/api/v1/servers', headers: { authorization: 'Bearer tdx_local' } }])
    leaveRecord(url, 'of another database')
    expect((await ok('server list')).out()).toContain('not running')
  })
})
