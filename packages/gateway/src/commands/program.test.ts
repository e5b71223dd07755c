import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hashToken } from '../access/tokens.ts'
import { writePrivateJson } from '../private-files.ts'
import { nodeProblem } from './node-version.ts'
import { useCommands } from './use-commands.case.ts'

const { configure, folder, run, runningGateway } = useCommands()

describe('tooldex', () => {
  it('prints the help of every command and subcommand', async () => {
    const nested = await run('help server import')
    expect(nested.code).toBe(0)
    expect(nested.out()).toMatch(/^Usage: tooldex server import /)
    expect((await run('help serve')).out()).toMatch(/^Usage: tooldex serve /)
    expect((await run('help')).out()).toMatch(/^Usage: tooldex /)
    const wrong = await run('help server nope')
    expect([wrong.code, wrong.err()]).toEqual([2, "error: unknown command 'server nope'. See: tooldex --help\n"])
  })

  it('prints help with examples and exit codes', async () => {
    const help = await run('--help')
    expect(help.code).toBe(0)
    expect(help.out()).toContain(
      'Exit codes: 0 success, 1 failure, 2 usage or configuration, 3 not found, 4 server unavailable, 5 already running.',
    )
    for (const command of ['serve', 'stdio', 'find', 'call', 'servers', 'check', 'schema']) {
      const { code, out } = await run(`help ${command}`)
      expect(code).toBe(0)
      expect(out()).toContain('Examples:')
    }
    expect((await run('--version')).out()).toBe('1.2.3\n')
  })

  it.each([
    'nonsense',
    'find',
    'serve --port x',
    'serve --port 70000',
    'find x --max 0',
    'find x --strategy magic',
    'serve --nope',
  ])('answers %s with usage and exit code 2', async (line) => {
    const { code, err, out } = await run(line)
    expect(code).toBe(2)
    expect(err()).not.toBe('')
    expect(out()).toBe('')
  })

  it('reports in one line that Node is too old', () => {
    expect(nodeProblem('22.17.1')).toBe('Tooldex needs Node 22.18 or newer; this is 22.17.1.')
    expect(nodeProblem('20.20.2')).toBeDefined()
    for (const version of ['22.18.0', '24.0.0', '30.1.0']) expect(nodeProblem(version)).toBeUndefined()
  })
})

describe('tooldex check', () => {
  it('counts the entries of a valid configuration', async () => {
    const { code, out } = await run('check')
    expect(code).toBe(0)
    expect(out()).toMatch(/tooldex\.json is valid: 2 servers, 1 project, 1 endpoint, 0 tokens\n$/)
    expect((await run('check --json')).json()).toMatchObject({ valid: true, servers: 2 })
  })

  it('reports every problem of an invalid one, with exit code 2', async () => {
    configure({ mcpServers: { a: { comand: 'x' } }, logLevel: 'loud' })
    const { code, err } = await run('check')
    expect(code).toBe(2)
    expect(err()).toContain('has 2 problems')
    expect(err()).toContain('tooldex.json:1:21 mcpServers.a.comand: unknown key; did you mean command?')
    const { json, code: same } = await run('check --json')
    expect(same).toBe(2)
    expect(json()).toMatchObject({
      error: { code: 'CONFIG_INVALID', problems: [expect.any(String), expect.any(String)] },
    })
  })

  it('needs no file, unless one is given', async () => {
    rmSync(join(folder(), 'tooldex.json'))
    const { code, err } = await run('check --config other.json')
    expect(code).toBe(2)
    expect(err()).toContain('does not exist')
    expect((await run('check')).out()).toContain('No file')
    expect(existsSync(join(folder(), '.tooldex'))).toBe(false)
  })
})

describe('tooldex schema', () => {
  it('prints a JSON Schema', async () => {
    expect((await run('schema')).json()).toMatchObject({
      type: 'object',
      properties: { mcpServers: { type: 'object' } },
    })
  })
})

describe('tooldex token create --print-only', () => {
  it('[R44] shows the secret once, and a valid entry for the configuration', async () => {
    const { code, json } = await run(
      'token create --print-only --name ci --server a b --read-only --expires 2027-01-31 --json',
    )
    expect(code).toBe(0)
    const { secret, config } = json() as { secret: string; config: Record<string, unknown> }
    expect(secret).toMatch(/^tdx_[\w-]{43}$/)
    expect(config).toEqual({
      name: 'ci',
      sha256: hashToken(secret),
      servers: ['a', 'b'],
      readOnly: true,
      expires: '2027-01-31',
    })
    configure({ mcpServers: { a: { command: 'a' }, b: { command: 'b' } }, tokens: [config] })
    expect((await run('check')).code).toBe(0)
  })

  it('prints text without --json, and rejects invalid options', async () => {
    expect((await run('token create --print-only --name laptop')).out()).toMatch(
      /token +tdx_.*\(shown once\)\n[\s\S]*"sha256":"[0-9a-f]{64}"/,
    )
    expect((await run('token create')).code).toBe(2)
    expect((await run(['token', 'create', '--print-only', '--name', ' '])).code).toBe(2)
    expect((await run('token create --print-only --name x --expires soon')).code).toBe(2)
  })
})

describe('tooldex servers', () => {
  it('lists the stored servers without a running gateway', async () => {
    const { code, out } = await run('servers')
    expect(code).toBe(0)
    expect(out()).toContain('no gateway is running')
    expect(out()).toMatch(/ {2}a {2}- +0 tools/)
    expect((await run('servers --json')).json()).toEqual({
      running: false,
      servers: [
        { id: 'a', name: 'a', tools: 0 },
        { id: 'b', name: 'b', tools: 0 },
      ],
    })
  })

  it('shows state, tools and last error of a running gateway', async () => {
    const { url } = await runningGateway({})
    const servers = [
      { id: 'a', name: 'a', state: 'running', since: 1, restarts: 0, tools: 7 },
      {
        id: 'b',
        name: 'b',
        state: 'failed',
        since: 1,
        restarts: 0,
        tools: 0,
        lastError: { code: 'SERVER_CRASHED', message: 'it\u001b[2J ended', at: 1 },
      },
    ]
    writePrivateJson(join(folder(), 'data', 'servers.json'), { servers })
    const { out } = await run('servers')
    expect(out()).toContain(url)
    expect(out()).toMatch(/a {2}running +7 tools\n {2}b {2}failed +0 tools {2}SERVER_CRASHED: it ended/)
    expect((await run('servers --json')).json()).toEqual({ running: true, servers })
  })
})
