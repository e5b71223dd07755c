import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hashToken } from '../access/tokens.ts'
import { fakeContext } from './fake-gateway.case.ts'
import { runProgram } from './program.ts'
import { useCommands } from './use-commands.case.ts'

const { configure, folder, run } = useCommands()

describe('tooldex serve', () => {
  it('shows the start screen, with a lasting token if the configuration has none, and runs until stopped', async () => {
    const kit = fakeContext(folder(), { states: { b: 'failed' }, tools: ['a:one', 'a:two'] })
    const running = runProgram(['serve'], kit.context)
    await expect.poll(() => kit.out(), { timeout: 20_000 }).toContain('connect')
    expect(kit.out()).toContain('1 up · 2 tools')
    expect(kit.out()).toContain('b: b ended')
    expect(kit.out()).toContain('http://127.0.0.1:1/mcp   Default project · auto · hybrid')
    const token = /tdx_[\w-]+/.exec(kit.out())?.[0] ?? ''
    expect(kit.asked.assembled[0]?.models.current().tokens.get(hashToken(token))).toMatchObject({
      name: 'first client',
    })
    const record = JSON.parse(readFileSync(join(folder(), 'data', 'gateway.json'), 'utf8')) as {
      token: string
      url: string
    }
    expect(record.url).toBe('http://127.0.0.1:1')
    expect(kit.asked.assembled[0]?.models.current().tokens.get(hashToken(record.token))).toMatchObject({
      tokenId: 'local',
    })
    kit.askToStop()
    expect(await running).toBe(0)
    expect(kit.asked.stopped).toBe(1)
    expect(readdirSync(join(folder(), 'data'))).not.toContain('gateway.json')
  })

  it('shows the address that clients use, not the one behind the proxy', async () => {
    configure({ listen: { publicUrl: 'https://tools.example.org' }, dataDir: 'data' })
    const { json } = await run('serve --exit --json')
    expect(json()).toMatchObject({ endpoints: [{ url: 'https://tools.example.org/mcp' }] })
    expect((await run('serve --exit')).out()).toContain('https://tools.example.org/mcp')
  })

  it('shows no token if the configuration has one, and exits after the start screen with --exit', async () => {
    configure({
      mcpServers: { a: { command: 'a' } },
      dataDir: 'data',
      tokens: [{ name: 'ci', sha256: 'ab'.repeat(32) }],
    })
    const { code, out } = await run('serve --exit')
    expect(code).toBe(0)
    expect(out()).not.toContain('tdx_')
    expect(out()).not.toContain('connect')
  })

  it('[U19] shows and counts a few of many endpoints, and counts no list of a large catalog', async () => {
    const endpoints = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`e${at}`, {}]))
    configure({ mcpServers: { a: { command: 'a' } }, dataDir: 'data', endpoints })
    const counted = await run('serve --exit')
    expect(counted.out()).toContain('and 21 more: tooldex endpoint list')
    expect(counted.asked.listed).toHaveLength(10)
    expect(counted.out()).toContain('tokens if all were listed')
    const tools = Array.from({ length: 2_001 }, (_, at) => `a:t${at}`)
    const kit = fakeContext(folder(), { tools })
    expect(await runProgram(['serve', '--exit'], kit.context)).toBe(0)
    expect(kit.out()).toContain('2,001 tools')
    expect(kit.out()).not.toContain('tokens')
    expect(kit.asked.listed).toEqual([])
  })

  it('answers as JSON', async () => {
    const { json } = await run('serve --exit --json')
    expect(json()).toMatchObject({
      version: '1.2.3',
      tools: 1,
      servers: [{ id: 'a', state: 'running', tools: 1 }, { id: 'b' }],
      endpoints: [{ id: 'default', url: 'http://127.0.0.1:1/mcp', exposure: 'auto', strategy: 'hybrid' }],
      token: expect.stringMatching(/^tdx_/),
    })
  })

  it('[U5] prints a token that works after a restart, says later how to get another, and replaces none that was revoked', async () => {
    const first = (await run('serve --exit --json')).json()
    const again = await run('serve --exit')
    expect(again.out()).not.toContain('tdx_')
    expect(again.out()).toContain('"first client", whose secret was shown at the first start')
    const { tokens } = again.asked.assembled[0]?.models.current() ?? {}
    expect(tokens?.get(hashToken(String(first['token'])))).toMatchObject({ name: 'first client' })
    const [id] = [...(tokens?.values() ?? [])].map(({ tokenId }) => tokenId).filter((each) => each !== 'local')
    await run(`token revoke ${id}`)
    const last = await run('serve --exit')
    expect(last.out()).toContain('none yet; create one: tooldex token create --name <name>')
    expect(last.out()).not.toContain('tdx_')
  })

  it('[R44] creates the first admin token at the first start, shows it once, and stores only its hash', async () => {
    const first = (await run('serve --exit --json')).json()
    expect(first['adminToken']).toMatch(/^tdxa_/)
    expect((await run('serve --exit --json')).json()).not.toHaveProperty('adminToken')
    const files = readdirSync(join(folder(), 'data')).filter((name) => name.startsWith('tooldex.db'))
    const bytes = files.map((name) => readFileSync(join(folder(), 'data', name), 'latin1')).join('')
    expect(bytes).toContain(hashToken(String(first['adminToken'])))
    expect(bytes).not.toContain(String(first['adminToken']))
  })

  it('needs no file, and shows the first step', async () => {
    rmSync(join(folder(), 'tooldex.json'))
    const { code, out } = await run('serve --exit --data data')
    expect([code, out()]).toEqual([0, expect.stringContaining('no servers yet. Add one: tooldex server add')])
  })

  it('keeps the audit log file of an earlier release unchanged', async () => {
    const old = join(folder(), 'data', 'audit.jsonl')
    mkdirSync(join(folder(), 'data'))
    writeFileSync(old, '{"kind":"call"}\n')
    expect((await run('serve --exit')).code).toBe(0)
    expect(readFileSync(old, 'utf8')).toBe('{"kind":"call"}\n')
  })

  it('listens where the command line says', async () => {
    const { asked } = await run('serve --exit --host ::1 --port 0 --data elsewhere')
    expect(asked.assembled[0]?.config).toMatchObject({
      listen: { host: '::1', port: 0 },
      dataDir: join(folder(), 'elsewhere'),
    })
  })
})

describe('tooldex stdio', () => {
  it('[R41] serves the owner, or the principal of the token in the environment', async () => {
    configure({
      mcpServers: { a: { command: 'a' } },
      dataDir: 'data',
      tokens: [{ name: 'ci', sha256: hashToken('tdx_secret'), readOnly: true }],
    })
    const principals: unknown[] = []
    const serveAs = async (variables: Record<string, string>) => {
      const kit = fakeContext(folder(), {}, variables)
      const assemble = await kit.context.loadAssemble()
      const context = {
        ...kit.context,
        loadAssemble: async () => (options: Parameters<typeof assemble>[0]) => ({
          ...assemble(options),
          serveStdio: async (principal: () => unknown) => void principals.push(principal()),
        }),
      }
      return { code: await runProgram(['stdio'], context), err: kit.err(), out: kit.out() }
    }
    expect((await serveAs({})).code).toBe(0)
    expect((await serveAs({ TOOLDEX_TOKEN: 'tdx_secret' })).code).toBe(0)
    expect(principals).toMatchObject([{ tokenId: 'local' }, { tokenId: 'ci', readOnly: true }])
    const refused = await serveAs({ TOOLDEX_TOKEN: 'tdx_wrong' })
    expect(refused).toMatchObject({ code: 1, out: '' })
    expect(refused.err).not.toContain('tdx_wrong')
    expect(principals).toHaveLength(2)
  })
})
