import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TcpProxy } from '../../packages/gateway/src/store/postgres/tcp-proxy.case.ts'
import { ROOT } from '../../scripts/packages.ts'
import { connect } from '../kit/clients.ts'
import { until } from '../kit/gateway.ts'
import { findPostgres } from '../kit/postgres.ts'
import { Machine, type RunningProgram } from '../kit/program.ts'
import { type TestDatabase, testDatabase } from '../kit/test-database.ts'
import { patternOf, type Step, stepsOf } from './walk.ts'

const PAGE = readFileSync(join(ROOT, 'docs/guide/operations.md'), 'utf8')
const STEPS = stepsOf(PAGE)

describe('docs/guide/operations.md', () => {
  let database: TestDatabase
  let road: TcpProxy
  let machine: Machine
  const gateways = new Map<string, RunningProgram>()
  beforeAll(async () => {
    database = await testDatabase()
    road = await TcpProxy.to(database.url)
    machine = new Machine({ TOOLDEX_DATABASE: road.url, TOOLDEX_SECRET_KEY: 'a key of sixteen letters' })
  }, 60_000)
  afterAll(async () => {
    await machine[Symbol.asyncDispose]()
    await road.close()
    await database.drop()
  })

  it('works as written, command by command, on PostgreSQL', async () => {
    for (const step of STEPS) await take(step)
    // Once the backup is restored, the gateways serve it.
    const again = await machine.serve('--data', join(machine.folder, 'b'))
    expect((await machine.run('tooldex project list --data b')).out).toContain('work')
    await again.stop()
    // Each has a folder and an address of its own, which is no difference of their configurations.
    for (const { err } of gateways.values()) expect(err).not.toContain('different configuration files')
  }, 240_000)

  async function take({ command, exitCode, output }: Step): Promise<void> {
    const folder = /^tooldex serve --data (\w+)$/.exec(command)?.[1]
    if (folder !== undefined) {
      const gateway = await machine.serve('--data', join(machine.folder, folder))
      gateways.set(folder, gateway)
      expect(gateway.out).toMatch(patternOf(output))
      return
    }
    const ended = async () => machine.run(withPostgres(command))
    // Changes and signals take a moment to arrive.
    const isAsking = /^tooldex (?:health|project list)/.test(command)
    const matches = ({ code, out, err }: Awaited<ReturnType<typeof ended>>): boolean =>
      code === exitCode && patternOf(output).test(`${out}${exitCode === 0 ? '' : err}`)
    let told = await ended()
    if (isAsking && !matches(told)) await until(async () => matches((told = await ended())))
    expect({ command, ...told, isAsWritten: matches(told) }).toMatchObject({ command, isAsWritten: true })
  }

  /** The programs of the PostgreSQL that the tests run on; without them, a copy of the database takes their part. */
  function withPostgres(command: string): string {
    const program = join(findPostgres().folder, command.split(' ')[0] ?? '')
    if (!/^pg_(?:dump|restore) /.test(command)) return command
    return existsSync(program) ? command.replace(/^\S+/, program) : copying(command)
  }

  function copying(command: string): string {
    const url = new URL(database.url)
    const [own, copy] = [url.pathname.slice(1), `${url.pathname.slice(1)}_copy`]
    const [from, to] = command.startsWith('pg_dump') ? [own, copy] : [copy, own]
    const script = `const pg = (await import('pg')).default; const client = new pg.Client({ connectionString: '${new URL('/postgres', url).href}' })
await client.connect(); await client.query('drop database if exists ${to} with (force)'); await client.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = '${from}'")
await client.query('create database ${to} template ${from}'); await client.end()`
    return `cd '${ROOT}' && '${process.execPath}' --input-type=module -e ${JSON.stringify(script)}`
  }

  it('says what happens while PostgreSQL is away', async () => {
    const gateway = await machine.serve('--data', join(machine.folder, 'd'))
    const secret = /tdx_[\w-]+/.exec((await machine.run('tooldex token create --name away --data d')).out)?.[0]
    const client = await connect('modern', gateway.url, secret)
    const figure = async (name: string): Promise<number> => {
      const text = await (await fetch(`${gateway.url}/metrics`)).text()
      return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
    }
    road.block()
    await until(async () => (await figure('tooldex_store_up')) === 0)
    expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200)
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200)
    await client.call('tool_discovery', { query: 'anything' })
    expect(await figure('tooldex_audit_waiting')).toBeGreaterThan(0)
    road.open()
    await until(async () => (await figure('tooldex_store_up')) === 1 && (await figure('tooldex_audit_waiting')) === 0)
    expect(await figure('tooldex_audit_lost_total')).toBe(0)
    await client.close()
    await gateway.stop()
  }, 120_000)

  it('names metrics that exist', () => {
    const reference = readFileSync(join(ROOT, 'docs/reference/metrics.md'), 'utf8')
    const names = [...new Set(PAGE.match(/\btooldex_\w+/g))]
    expect(names.length).toBeGreaterThan(8)
    for (const name of names) expect(reference).toContain(`\`${name.replace(/_bucket$/, '')}\``)
  })
})
