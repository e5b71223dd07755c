import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fakeContext } from '../fake-gateway.case.ts'
import { runProgram } from '../program.ts'

const CURSOR = `{
  // mine
  "mcpServers": {
    "wiki": { "command": "wiki-mcp", "args": ["--key", "\${WIKI_KEY}"] }, // local
    "chat": { "url": "https://chat.example.test/mcp", "headers": { "Authorization": "Bearer \${CHAT_TOKEN}" } }
  }
}
`
const CODEX = '# best\r\nmodel = "m"\r\n\r\n[mcp_servers.files]\r\ncommand = "files-mcp" # local\r\n'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'tooldex-home-'))
})
afterEach(() => rmSync(home, { recursive: true }))

function put(path: string, text: string): string {
  const file = join(home, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}
const read = (path: string): string => readFileSync(join(home, path), 'utf8')

/** Runs a command in the home folder. `answers` makes it a terminal at which somebody types. */
async function run(
  args: readonly string[],
  { answers, isStopped }: { readonly answers?: readonly string[]; readonly isStopped?: boolean } = {},
) {
  const kit = fakeContext(join(home, 'work'), {}, { CHAT_TOKEN: 'chat-1' })
  mkdirSync(join(home, 'work'), { recursive: true })
  if (isStopped === true) kit.askToStop()
  const input = Object.assign(new PassThrough(), { isTTY: true as const })
  let next = 0
  const terminal = {
    ...kit.context.terminal,
    interactive: answers !== undefined,
    err: (text: string) => {
      kit.context.terminal.err(text)
      if (/[?:] (?:\[y\/N\] )?$/.test(text)) setImmediate(() => input.write(answers?.[next++] ?? '\u0003'))
    },
  }
  const context = {
    ...kit.context,
    terminal,
    environment: { ...kit.context.environment, home },
    ...(answers !== undefined && { streams: { ...kit.context.streams, input } }),
  }
  const code = await runProgram(args, context)
  return { code, out: kit.out(), err: kit.err(), json: () => JSON.parse(kit.out()) as Record<string, unknown> }
}

const data = (): string[] => ['--data', join(home, 'data')]
const setup = (args: readonly string[] = [], more = {}) => run(['setup', ...data(), ...args], more)

describe('tooldex setup', () => {
  it('[U1] imports the servers of all clients, connects the clients, and undoes it byte for byte', async () => {
    const [cursor, codex] = [put('.cursor/mcp.json', CURSOR), put('.codex/config.toml', CODEX)]
    chmodSync(codex, 0o640)
    const done = await setup(['--yes'])
    expect([done.code, done.err]).toEqual([0, ''])
    expect(done.out).toMatch(/imported +3 servers/)
    expect(done.out).toMatch(/wiki needs a value: tooldex server set wiki --input WIKI_KEY=…/)
    const token = /Bearer (tdx_[\w-]{43})"/.exec(read('.cursor/mcp.json'))?.[1]
    expect(read('.cursor/mcp.json')).toContain('"url": "http://127.0.0.1:7420/mcp"')
    expect(read('.codex/config.toml').startsWith(CODEX)).toBe(true)
    expect(read('.codex/config.toml').slice(CODEX.length)).toMatch(
      /^\r\n\[mcp_servers\.tooldex\]\r\nurl = "http:.*\r\nhttp_headers = \{ Authorization = "Bearer tdx_/,
    )
    expect(done.out).not.toContain(token)
    const tokens = await run(['token', 'list', '--json', ...data()])
    expect(tokens.json()).toMatchObject({ tokens: [{ name: 'Codex' }, { name: 'Cursor' }] })
    const undone = await setup(['--undo'])
    expect(undone.out).toMatch(/restored byte for byte/)
    expect([readFileSync(cursor, 'utf8'), readFileSync(codex, 'utf8')]).toEqual([CURSOR, CODEX])
    expect((await run(['token', 'list', '--json', ...data()])).json()).toEqual({ tokens: [] })
    expect((await setup(['--undo'])).out).toContain('nothing to undo')
  })

  it('[U2] keeps references, is off without a value, and starts with it', async () => {
    put('.cursor/mcp.json', CURSOR)
    await setup(['--yes'])
    const show = async (id: string) => (await run(['server', 'show', id, '--json', ...data()])).json()
    expect(await show('wiki')).toMatchObject({ enabled: false, missingValues: ['WIKI_KEY'] })
    expect(await show('chat')).toMatchObject({ enabled: true })
    await run(['server', 'set', 'wiki', '--input', 'WIKI_KEY=k', ...data()])
    expect(await show('wiki')).toMatchObject({ enabled: true })
    const exported = (await run(['export', '--with-secrets', ...data()])).json()
    expect(exported).toMatchObject({
      config: {
        mcpServers: {
          wiki: { args: ['--key', '${WIKI_KEY}'], inputs: { WIKI_KEY: 'k' } },
          chat: { headers: { Authorization: 'Bearer ${CHAT_TOKEN}' } },
        },
      },
    })
  })

  it('[U1] shows everything and changes nothing with --dry-run', async () => {
    put('.cursor/mcp.json', CURSOR)
    const { code, out } = await setup(['--dry-run'])
    expect(code).toBe(0)
    expect(out).toMatch(/wiki +import, off: needs WIKI_KEY +Cursor/)
    expect(out).toMatch(/\+ +"tooldex": \{/)
    expect(out).toContain('nothing was changed')
    expect(read('.cursor/mcp.json')).toBe(CURSOR)
    expect((await run(['server', 'list', '--json', ...data()])).json()).toEqual({ servers: [] })
    const json = (await setup(['--dry-run', '--json'])).json()
    expect(json).toMatchObject({ isDryRun: true, clients: [{ client: 'cursor', action: 'write' }] })
  })

  it('asks, takes a value once, and does nothing after no or Ctrl-C', async () => {
    put('.cursor/mcp.json', CURSOR)
    for (const answers of [['n\n'], ['\u0003']]) {
      const { code, err } = await setup([], { answers })
      expect([code, err]).toEqual([0, expect.stringContaining('nothing was changed')])
    }
    expect(read('.cursor/mcp.json')).toBe(CURSOR)
    const done = await setup([], { answers: ['y\n', 'k-1\n'] })
    expect(done.err).toContain('value for WIKI_KEY')
    expect(done.err).not.toContain('k-1')
    expect((await run(['server', 'show', 'wiki', '--json', ...data()])).json()).toMatchObject({ enabled: true })
  })

  it('says what to pass if there is no terminal, and what to do without any client', async () => {
    put('.cursor/mcp.json', CURSOR)
    const asked = await setup()
    expect([asked.code, asked.err]).toEqual([2, expect.stringContaining('Pass --yes')])
    rmSync(join(home, '.cursor'), { recursive: true })
    const none = await setup(['--yes'])
    expect([none.code, none.out]).toEqual([0, expect.stringContaining('no client was found')])
    const unknown = await setup(['--client', 'emacs'])
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('claude-code')])
  })

  it('leaves a broken file alone, names the place, and does the others', async () => {
    put('.cursor/mcp.json', '{ "mcpServers": {')
    put('.codex/config.toml', CODEX)
    const { code, out } = await setup(['--yes'])
    expect(code).toBe(1)
    expect(out).toMatch(/left alone Cursor: .*mcp\.json, line 1/)
    expect(out).toMatch(/connected +Codex/)
    expect(read('.cursor/mcp.json')).toBe('{ "mcpServers": {')
    expect((await run(['token', 'list', '--json', ...data()])).json()).toMatchObject({ tokens: [{ name: 'Codex' }] })
  })

  it('switches imported servers off in the client with --remove-imported, and puts them back', async () => {
    put('.cursor/mcp.json', CURSOR)
    put('.codex/config.toml', CODEX)
    const { out } = await setup(['--yes', '--remove-imported'])
    expect(out).toContain('switches off chat')
    expect(read('.cursor/mcp.json')).not.toContain('chat.example.test')
    // It lacks a value, so the gateway does not run it yet.
    expect(read('.cursor/mcp.json')).toContain('wiki-mcp')
    expect(read('.codex/config.toml')).toContain('[mcp_servers.files]\r\nenabled = false\r\n')
    await setup(['--undo'])
    expect([read('.cursor/mcp.json'), read('.codex/config.toml')]).toEqual([CURSOR, CODEX])
  })

  it('writes no file after Ctrl-C, and says what was done', async () => {
    put('.cursor/mcp.json', CURSOR)
    const { code, out } = await setup(['--yes'], { isStopped: true })
    expect([code, out]).toEqual([1, expect.stringMatching(/imported +2 servers\n[^]*stopped +by you/)])
    expect(read('.cursor/mcp.json')).toBe(CURSOR)
    expect((await run(['token', 'list', '--json', ...data()])).json()).toEqual({ tokens: [] })
  })

  it('does nothing twice: connected clients and known servers stay as they are', async () => {
    put('.cursor/mcp.json', CURSOR)
    await setup(['--yes'])
    const before = read('.cursor/mcp.json')
    const again = await setup(['--yes'])
    expect(again.out).toMatch(/Cursor +connected already/)
    expect(read('.cursor/mcp.json')).toBe(before)
    expect(readdirSync(join(home, 'data', 'setup', 'backups'))).toHaveLength(1)
  })

  it('[U1] is the first step of tooldex without arguments, which then shows the state', async () => {
    put('.cursor/mcp.json', CURSOR)
    const first = await run(data())
    expect([first.code, first.out]).toEqual([2, expect.stringMatching(/Cursor +add tooldex/)])
    await setup(['--yes'])
    const state = await run(data())
    expect(state.code).toBe(0)
    expect(state.out).toMatch(/gateway +does not run; start it: tooldex serve/)
    expect(state.out).toMatch(/clients +Cursor/)
  })

  it('writes a variable in the place of the token with --token-variable', async () => {
    put('.cursor/mcp.json', CURSOR)
    await setup(['--yes', '--token-variable'])
    expect(read('.cursor/mcp.json')).toContain('"Bearer ${env:TOOLDEX_TOKEN}"')
  })
})

describe('tooldex server import', () => {
  it('reads the file of any client by the rules of its path', async () => {
    put('.codex/config.toml', CODEX)
    const { code, out } = await run(['server', 'import', join(home, '.codex/config.toml'), ...data()])
    expect([code, out]).toEqual([0, expect.stringMatching(/files +added/)])
  })

  it('reads any shape from elsewhere, and gives values with --input', async () => {
    const vscode = { inputs: [{ id: 'pin' }], servers: { bank: { command: 'b', env: { PIN: '${input:pin}' } } } }
    const file = put('paste.json', JSON.stringify(vscode))
    const lacking = await run(['server', 'import', file, '--dry-run', ...data()])
    expect(lacking.out).toMatch(/bank +would be added, off +needs a value for pin/)
    await run(['server', 'import', file, '--input', 'pin=1234', ...data()])
    expect((await run(['server', 'show', 'bank', '--json', ...data()])).json()).toMatchObject({ enabled: true })
  })

  it('[P19] takes over the servers and the tool search of MCProxy', async () => {
    const config = { maxToolsLimit: 9, searchThreshold: 0.2, toolSelectionOrder: ['alphabetical'] }
    const file = put(
      'mcproxy.json',
      JSON.stringify({
        mcpServers: { wiki: { command: 'wiki-mcp' } },
        middleware: { proxy: [{ type: 'tool_search', enabled: true, config }] },
      }),
    )
    const { out } = await run(['server', 'import', file, ...data()])
    expect(out).toMatch(/the project default got exposure "limited", dialect "mcproxy", maxTools 9/)
    expect((await run(['project', 'show', 'default', '--json', ...data()])).json()).toMatchObject({
      config: { exposure: 'limited', maxTools: 9, searchThreshold: 0.2, selectionOrder: ['alphabetical'] },
    })
  })

  it('reads the servers of MetaMCP', async () => {
    const mcpServers = {
      one: { type: 'STDIO', command: 'x', description: 'd' },
      two: { type: 'STREAMABLE_HTTP', url: 'https://two.example.test/mcp', bearerToken: 'b' },
    }
    const file = put('metamcp.json', JSON.stringify({ mcpServers }))
    await run(['server', 'import', file, ...data()])
    expect((await run(['export', '--with-secrets', ...data()])).json()).toMatchObject({
      config: { mcpServers: { one: { command: 'x' }, two: { headers: { Authorization: 'Bearer b' } } } },
    })
  })
})
