import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { fakeContext } from '../fake-gateway.case.ts'
import { runProgram } from '../program.ts'
import { useCommands } from '../use-commands.case.ts'
import type { Finding } from './finding.ts'

const { configure, folder, run } = useCommands()

const PORT_0 = { listen: { port: 0 }, dataDir: 'data' }
const examine = async (variables: Record<string, string> = {}, now = Date.now()) => {
  const kit = fakeContext(folder(), {}, { PATH: process.env['PATH'] ?? '', ...variables })
  const code = await runProgram(['doctor', '--json'], { ...kit.context, now: () => now })
  const { findings } = JSON.parse(kit.out()) as { findings: readonly Finding[] }
  return { code, findings, wrong: findings.filter(({ state }) => state === 'wrong') }
}

describe('tooldex doctor', () => {
  it('finds no problem in an installation that was never started', async () => {
    configure({ mcpServers: { a: { command: 'sh' } }, ...PORT_0 })
    const { code, wrong, findings } = await examine()
    expect([code, wrong]).toEqual([0, []])
    expect(findings.map(({ about }) => about)).toEqual(
      expect.arrayContaining(['node', 'file', 'data', 'gateway', 'database', 'settings', 'tokens']),
    )
  })

  it('prints a remedy for each problem', async () => {
    configure({ mcpServers: { a: { command: 'no-such-program-anywhere' } }, ...PORT_0 })
    await run('token create --name t')
    const { code, out } = await run('doctor')
    expect(code).toBe(1)
    expect(out()).toMatch(/wrong +server a +the program no-such-program-anywhere was not found\n +Install it/)
    expect(out()).toContain('1 problem found')
  })

  it('reports an invalid file, and a file that conflicts with the store', async () => {
    configure({ logLevel: 'loud', ...PORT_0 })
    expect((await examine()).wrong).toMatchObject([{ about: 'file', message: expect.stringContaining('logLevel') }])
    configure(PORT_0)
    await run('server add twice -- sh')
    configure({ mcpServers: { twice: { command: 'sh' } }, ...PORT_0 })
    expect((await examine()).wrong).toMatchObject([
      { about: 'settings', message: expect.stringContaining('tooldex server remove twice') },
    ])
  })

  it('reports a port that another program uses', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as AddressInfo
    configure({ listen: { port }, dataDir: 'data' })
    const { wrong } = await examine()
    other.close()
    expect(wrong).toMatchObject([{ about: 'gateway', message: expect.stringContaining(String(port)) }])
  })

  it('agrees with serve about data folders that cannot be used', async () => {
    writeFileSync(join(folder(), 'file'), '')
    for (const [dataDir, reason] of [
      ['file', 'it is a file, not a folder'],
      ['file/below', 'a part of the path is a file, not a folder'],
      ['/proc/tooldex/data', 'the system allows no folder there'],
    ] as const) {
      configure({ listen: { port: 0 }, dataDir })
      expect((await examine()).wrong).toMatchObject([{ about: 'data', message: expect.stringContaining(reason) }])
      const served = await run('serve --exit')
      expect([served.code, served.err()]).toEqual([4, expect.stringContaining(reason)])
      expect(served.err()).toContain('--data')
    }
    configure({ listen: { port: 0 }, dataDir: 'a/b/c' })
    expect((await examine()).wrong).toEqual([])
    expect(existsSync(join(folder(), 'a'))).toBe(false)
  })

  it('reports a data folder that other users can read', async () => {
    configure(PORT_0)
    await run('server add s --env KEY=1 -- sh')
    chmodSync(join(folder(), 'data'), 0o755)
    chmodSync(join(folder(), 'data', 'secret.key'), 0o644)
    expect((await examine()).wrong).toMatchObject([{ about: 'data', remedy: expect.stringContaining('chmod') }])
  })

  it('reports a database that is damaged, newer or unreachable', async () => {
    configure(PORT_0)
    await run('project add p')
    const database = join(folder(), 'data', 'tooldex.db')
    const newer = new DatabaseSync(database)
    newer.exec(`insert into store_migrations values (99, 'of the future', 1)`)
    newer.close()
    expect((await examine()).wrong).toMatchObject([{ about: 'database', remedy: expect.stringContaining('newer') }])
    expect((await run('serve --exit')).code).toBe(1)
    mkdirSync(join(folder(), 'other'), { mode: 0o700 })
    writeFileSync(join(folder(), 'other', 'tooldex.db'), 'this is no database at all, whatever its name says')
    configure({ ...PORT_0, dataDir: 'other' })
    expect((await examine()).wrong).toMatchObject([
      { about: 'database', message: expect.stringContaining('not a database') },
    ])
    configure({ ...PORT_0, database: 'postgres://nobody@127.0.0.1:1/none' })
    expect((await examine()).wrong).toMatchObject([{ about: 'database', message: 'PostgreSQL does not answer' }])
  })

  it('reports secrets whose key is missing, and a wrong clock', async () => {
    configure(PORT_0)
    await run('server add s --env KEY=1 -- sh')
    const { wrong } = await examine({ TOOLDEX_SECRET_KEY: 'another key than the one in the file' })
    expect(wrong).toEqual([])
    writeFileSync(join(folder(), 'data', 'secret.key'), '')
    const keyless = await examine({ TOOLDEX_SECRET_KEY: 'another key than the one in the file' })
    expect(keyless.wrong.map(({ about }) => about)).toContain('key')
    const early = await examine({}, Date.parse('1969-01-01'))
    expect(early.wrong.map(({ about }) => about)).toContain('clock')
  })
})
