import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ProcessRegistry } from './process-registry.ts'
import { systemProcessTable } from './process-table.ts'
import { ProcessWatcher } from './process-watcher.ts'
import { fixture, running } from './stdio-connection.case.ts'

const table = systemProcessTable(process.platform)
let dataDir = ''
const children: ChildProcess[] = []

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'tooldex-'))
})
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  rmSync(dataDir, { recursive: true, force: true })
})

const registry = (): ProcessRegistry => new ProcessRegistry({ dataDir, table })
const files = (): string[] => (existsSync(join(dataDir, 'processes')) ? readdirSync(join(dataDir, 'processes')) : [])

/** An unrelated process. */
function bystander(env: Record<string, string> = {}): number {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore', env })
  children.push(child)
  return child.pid ?? 0
}

interface Family {
  readonly family: number[]
  readonly leader: number
  readonly orphan: number
}

function toKill(...args: string[]): ChildProcess {
  const command = ['--conditions=tooldex-source', fixture('gateway-to-kill'), dataDir, ...args]
  const gateway = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(gateway)
  return gateway
}

const firstLine = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      if (text.includes('\n')) resolve(text)
    })
    child.once('exit', () => reject(new Error('the fixture ended')))
  })

const ended = (child: ChildProcess): Promise<unknown> => new Promise((resolve) => child.once('exit', resolve))

describe('ProcessRegistry', () => {
  it('ends all that a killed gateway had started, and nothing else', async () => {
    const gateway = toKill()
    const { family, leader, orphan } = JSON.parse(await firstLine(gateway)) as Family
    const others = [bystander(), bystander({ TOOLDEX_GATEWAY: 'another:1' })]

    // While the gateway lives, its servers are its own business.
    expect(await registry().sweep()).toEqual({ gateways: 0, ended: 0 })
    expect(await running([...family, leader, orphan])).toHaveLength(6)

    const gone = ended(gateway)
    gateway.kill('SIGKILL')
    await gone
    // The obedient server ends with its input; what it had started on its own is known by its mark alone.
    await vi.waitUntil(async () => (await running([leader])).length === 0, { timeout: 10_000 })
    const report = await registry().sweep()
    expect(await running([...family, leader, orphan])).toEqual([])
    expect(await running(others)).toEqual(others)
    expect(report).toEqual({ gateways: 1, ended: family.length + 1 })
    expect(files()).toEqual([])
    expect(await registry().sweep()).toEqual({ gateways: 0, ended: 0 })
  }, 20_000)

  it('H12: has a watcher that ends all that a killed gateway had started, and nothing else, before any other start', async () => {
    const gateway = toKill('watched')
    const { family, leader, orphan } = JSON.parse(await firstLine(gateway)) as Family
    const others = [bystander(), bystander({ TOOLDEX_GATEWAY: 'another:1' })]
    expect(await running([...family, leader, orphan])).toHaveLength(6)
    const gone = ended(gateway)
    gateway.kill('SIGKILL')
    await gone
    await vi.waitUntil(async () => (await running([...family, leader, orphan])).length === 0, { timeout: 15_000 })
    await vi.waitUntil(() => files().length === 0, { timeout: 5_000 })
    expect(await running(others)).toEqual(others)
  }, 30_000)

  it('has a watcher that ends with it, and is started again if it dies', async () => {
    const watcher = new ProcessWatcher({ dataDir, platform: process.platform })
    const ours = new ProcessRegistry({ dataDir, table, watcher })
    const watchers = async (): Promise<number[]> => {
      const rows = [...(await table.rows()).values()].filter(({ parent }) => parent === process.pid)
      return rows.map(({ pid }) => pid).filter((pid) => !before.includes(pid))
    }
    const before: number[] = []
    before.push(...(await watchers()))
    await ours.mark()
    await ours.mark()
    const [first = 0, ...more] = await watchers()
    expect(more).toEqual([])
    process.kill(first, 'SIGKILL')
    await vi.waitUntil(async () => {
      await ours.mark()
      const [now] = await watchers()
      return now !== undefined && now !== first
    })
    await ours.close()
    expect(await watchers()).toEqual([])
    expect(files()).toEqual([])
  })

  it('spares a process that merely has a pid that was recorded', async () => {
    const pid = bystander()
    const dead = { gateway: { pid: 2 ** 22 + 5, start: 'long ago', id: 'gone' } }
    mkdirSync(join(dataDir, 'processes'))
    const record = { pid, group: pid, start: 'another boot:1', command: 'node' }
    writeFileSync(
      join(dataDir, 'processes', `${2 ** 22 + 5}.jsonl`),
      `${JSON.stringify(dead)}\n${JSON.stringify(record)}\n`,
    )
    expect(await registry().sweep()).toEqual({ gateways: 1, ended: 0 })
    expect(await running([pid])).toEqual([pid])
    expect(files()).toEqual([])
  })

  it('ends a process whose pid and start time were recorded', async () => {
    const pid = bystander()
    const row = await table.row(pid)
    const dead = { gateway: { pid: process.pid, start: 'an earlier process with our pid', id: 'gone' } }
    mkdirSync(join(dataDir, 'processes'))
    const record = { pid, group: pid, start: row?.start, command: 'node' }
    writeFileSync(
      join(dataDir, 'processes', `${process.pid}.jsonl`),
      `${JSON.stringify(dead)}\n${JSON.stringify(record)}\n`,
    )
    expect(await registry().sweep()).toEqual({ gateways: 1, ended: 1 })
    expect(await running([pid])).toEqual([])
  })

  it('writes down what runs, without arguments, and forgets what was stopped', async () => {
    const processes = registry()
    const mark = await processes.mark()
    const pid = bystander({ TOOLDEX_GATEWAY: mark })
    await processes.add({ pid, command: 'node' })
    const path = join(dataDir, 'processes', `${process.pid}.jsonl`)
    const lines = readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown)
    expect(lines).toEqual([
      { gateway: { pid: process.pid, start: (await table.row(process.pid))?.start, id: mark.split(':')[0] } },
      { pid, group: pid, start: (await table.row(pid))?.start, command: 'node' },
    ])
    processes.remove(pid)
    await processes.mark()
    expect(readFileSync(path, 'utf8')).not.toContain('"command"')
    await processes.close()
    expect(files()).toEqual([])
  })

  it('passes over files that make no sense', async () => {
    mkdirSync(join(dataDir, 'processes'))
    for (const [name, text] of [
      ['4194400.jsonl', '{"gateway":{"pid":"x"}}\nnull\n[]\n{'],
      ['1.jsonl', ''],
      ['notes.txt', 'hello'],
    ] as const) {
      writeFileSync(join(dataDir, 'processes', name), text)
    }
    expect(await registry().sweep()).toEqual({ gateways: 1, ended: 0 })
    expect(files()).toEqual(['1.jsonl', 'notes.txt'])
  })

  it('works on when nothing can be written', async () => {
    const problems: unknown[] = []
    writeFileSync(join(dataDir, 'file'), '')
    const processes = new ProcessRegistry({
      dataDir: join(dataDir, 'file'),
      table,
      onError: (error) => problems.push(error),
    })
    expect(await processes.sweep()).toEqual({ gateways: 0, ended: 0 })
    expect(await processes.mark()).toMatch(/:1$/)
    await processes.add({ pid: process.pid, command: 'node' })
    expect(problems.length).toBeGreaterThan(0)
  })
})
