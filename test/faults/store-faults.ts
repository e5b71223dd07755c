/** Faults of the database: a writer that is killed, a lock of another process, a full disk, secrets in the wrong place. */
import { spawn } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { MinimalClient } from '../../bench/minimal-client.ts'
import { AdminCalls } from './admin-calls.ts'
import { evilServer } from './evil-server.ts'
import { type Fault, promise, timed, within } from './fault.ts'
import { Home, Program } from './program.ts'
import { SmallDisk } from './small-disk.ts'
import { until } from './until.ts'

const KILLS = { quick: 4, usual: 50, full: 200 } as const
const GATEWAY_KILLS = { quick: 2, usual: 10, full: 20 } as const
const HELD_MS = { quick: 1_500, usual: 30_000, full: 30_000 } as const
const CANARY_CALLS = { quick: 100, usual: 1_000, full: 1_000 } as const
const READY_MS = 1_500
const AUDIT_WITHIN_MS = 20_000

export const STORE_FAULTS: readonly Fault[] = [
  {
    name: 'store-killed',
    isQuick: true,
    run: async (size) => {
      using home = new Home()
      let decisions = 0
      let slowest = 0
      for (let kill = 0; kill < KILLS[size]; kill++) {
        const { acknowledged, readyMs } = await writeUntilKilled(home.dataDir, kill * 1_000_000)
        slowest = Math.max(slowest, readyMs)
        decisions += checkKept(home, acknowledged)
      }
      promise(decisions > 0, 'nothing was written before the kills')
      return `${KILLS[size]} × kill -9 under load: intact each time, all ${decisions} acknowledged writes there; ${within(slowest, READY_MS, 'slowest start')}`
    },
  },
  {
    name: 'killed-while-changing',
    isQuick: true,
    run: async (size) => {
      using home = new Home()
      home.configure({ servers: { good: evilServer() } })
      const made: string[] = []
      const starts: number[] = []
      for (let kill = 0; kill < GATEWAY_KILLS[size]; kill++) {
        const { value: program, ms } = await timed(() => Program.start(home))
        await using _program = program
        starts.push(ms)
        const admin = new AdminCalls(program.url, home.dataDir)
        const there = await admin.projectIds()
        const lost = made.filter((id) => !there.includes(id))
        promise(lost.length === 0, `${lost.length} acknowledged projects are gone after kill ${kill}`)
        const client = await program.clientFor('good__echo')
        const load = callUntilItFails(client)
        const changes = createUntilItFails(admin, `k${kill}`, made)
        await delay(randomInt(50, 400))
        await program.kill()
        await Promise.all([load, changes])
        promise(isIntact(home), `the database is damaged after kill ${kill}`)
      }
      const slowest = Math.max(...starts)
      return `${GATEWAY_KILLS[size]} × kill -9 with calls and changes under way: all ${made.length} acknowledged projects there; ${within(slowest, READY_MS, 'slowest start')}`
    },
  },
  {
    name: 'database-held',
    isQuick: true,
    run: async (size) => {
      using home = new Home()
      home.configure({ servers: { good: evilServer() } })
      await using program = await Program.start(home)
      const client = await program.clientFor('good__echo')
      const before = auditCalls(home)
      const calls = await whileHeld(home, HELD_MS[size], () => client.call('good__echo', { value: 'x' }))
      promise(calls.failed === 0, `${calls.failed} of ${calls.made} calls failed`)
      const all = await timed(() => until(() => auditCalls(home) - before >= calls.made || undefined, AUDIT_WITHIN_MS))
      promise(auditCalls(home) - before === calls.made, 'there are more audit entries than calls')
      return `held for ${HELD_MS[size] / 1_000} s: ${calls.made} calls, 0 failed; all in the audit log ${all.ms.toFixed(0)} ms after it was released`
    },
  },
  {
    name: 'disk-full',
    isQuick: true,
    run: async () => {
      using home = new Home()
      using disk = SmallDisk.mount(home.dataDir)
      if (disk === undefined)
        return 'not tried: only root may make a small disk (the test of the SQLite file limits its pages)'
      home.configure({ servers: { good: evilServer() } })
      await using program = await Program.start(home)
      const client = await program.clientFor('good__echo')
      const admin = new AdminCalls(program.url, home.dataDir)
      await admin.createProject('before')
      const before = auditCalls(home)
      disk.fill()
      let calls = 0
      const call = async (): Promise<void> => {
        await client.call('good__echo', { value: 'x' })
        calls++
      }
      for (let at = 0; at < 200; at++) await call()
      const refused = await admin.tryLargeProject('full')
      const isRefused = refused.status === 503 && refused.answer.includes('STORE_UNAVAILABLE')
      promise(isRefused, `a change was answered with ${refused.status} ${refused.answer}`)
      for (let at = 0; at < 200; at++) await call()
      disk.empty()
      const recovered = await timed(() =>
        until(async () => (await admin.tryLargeProject('after')).status === 201 || undefined, 10_000),
      )
      await until(() => auditCalls(home) - before === calls || undefined, AUDIT_WITHIN_MS)
      const ids = await admin.projectIds()
      promise(ids.includes('before') && !ids.includes('full'), 'the refused change is there, or the one before is not')
      promise(isIntact(home), 'the database is damaged')
      return `${calls} calls went on, a change was refused with STORE_UNAVAILABLE; ${within(recovered.ms, 10_000, 'room again:')} until changes are taken; all calls in the audit log`
    },
  },
  {
    name: 'canary-token',
    isQuick: true,
    run: async (size) => {
      using home = new Home()
      const [token, variable] = [`tdx_${canary()}`, canary()]
      home.configure({ servers: { good: evilServer() }, tokens: { canary: token } })
      await using program = await Program.start(home)
      await program.clientFor('good__echo')
      const admin = new AdminCalls(program.url, home.dataDir)
      const { secret, id } = await admin.createToken('made')
      await admin.createServer('secretive', { ...evilServer(), env: { KEY: variable } })
      for (const each of [token, secret]) {
        const client = await program.client(each)
        for (let call = 0; call < CANARY_CALLS[size] / 2; call++) await client.call('good__echo', { value: 'x' })
      }
      await until(() => auditCalls(home) >= CANARY_CALLS[size] || undefined, AUDIT_WITHIN_MS)
      await program.stop()
      const places = [...filesIn(home.dataDir), { name: 'its log', text: program.log }]
      const leaks = places.filter(({ text }) => [token, secret, variable].some((canary) => text.includes(canary)))
      promise(leaks.length === 0, `a secret is in ${leaks.map(({ name }) => name).join(', ')}`)
      promise(
        places.some(({ text }) => text.includes(id)),
        'the database was not looked at',
      )
      return `${CANARY_CALLS[size]} calls with two tokens, and a server with a secret: none of them in ${places.length} files and the log`
    },
  },
]

interface Acknowledged {
  readonly decision: number
  readonly audit: number
  readonly first: number
}

/** Kills a writing process at a random moment. */
async function writeUntilKilled(
  dataDir: string,
  first: number,
): Promise<{ readonly acknowledged: Acknowledged; readonly readyMs: number }> {
  const script = fileURLToPath(new URL('./store-writer.ts', import.meta.url))
  const since = performance.now()
  const child = spawn(process.execPath, ['--conditions=tooldex-source', script, dataDir, String(first)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const said = new Map<string, number>()
  let readyMs = 0
  for await (const line of createInterface({ input: child.stdout })) {
    const [what = '', number] = line.split(' ')
    said.set(what, Number(number))
    if (what !== 'ready') continue
    readyMs = performance.now() - since
    setTimeout(() => child.kill('SIGKILL'), randomInt(5, 200))
  }
  await ended
  promise(readyMs > 0, 'the store did not open after a kill')
  const acknowledged = { first, decision: said.get('decision') ?? first - 1, audit: said.get('audit') ?? first - 1 }
  return { acknowledged, readyMs }
}

/** How many acknowledged writes are there. @throws Broken if one is not */
function checkKept(home: Home, { first, decision, audit }: Acknowledged): number {
  promise(isIntact(home), 'the database is damaged')
  using database = openFile(home)
  const count = (sql: string, ...values: (string | number)[]): number =>
    Number(database.prepare(sql).get(...values)?.['count'])
  const decided = decision - first + 1
  const kept = count(
    `select count(*) as count from settings where cast(value as integer) between ? and ?`,
    ...[first, decision],
  )
  promise(kept === decided, `${decided - kept} of ${decided} acknowledged decisions are gone`)
  const batches = audit - first + 1
  const entries = count(
    `select count(*) as count from audit_entries where cast(request_id as integer) between ? and ?`,
    ...[first, audit],
  )
  promise(entries === batches * 20, `${batches * 20 - entries} of ${batches * 20} acknowledged audit entries are gone`)
  return decided + batches
}

function openFile(home: Home): DatabaseSync {
  return new DatabaseSync(join(home.dataDir, 'tooldex.db'), { timeout: 5_000 })
}

function isIntact(home: Home): boolean {
  using database = openFile(home)
  return database.prepare('pragma integrity_check').get()?.['integrity_check'] === 'ok'
}

function auditCalls(home: Home): number {
  using database = openFile(home)
  return Number(database.prepare(`select count(*) as count from audit_entries where kind = 'call'`).get()?.['count'])
}

/** Calls again and again while another process holds the database. */
async function whileHeld(
  home: Home,
  ms: number,
  call: () => Promise<unknown>,
): Promise<{ readonly made: number; readonly failed: number }> {
  using database = openFile(home)
  database.exec('begin immediate')
  let [made, failed] = [0, 0]
  for (const end = performance.now() + ms; performance.now() < end; made++) {
    await call().catch(() => failed++)
    await delay(2)
  }
  database.exec('rollback')
  return { made, failed }
}

async function callUntilItFails(client: MinimalClient): Promise<void> {
  try {
    for (;;) await client.call('good__echo', { value: 'x' })
  } catch {
    // The gateway was killed.
  }
}

async function createUntilItFails(admin: AdminCalls, prefix: string, made: string[]): Promise<void> {
  try {
    for (let number = 0; ; number++) {
      await admin.createProject(`${prefix}-${number}`)
      made.push(`${prefix}-${number}`)
    }
  } catch {
    // The gateway was killed.
  }
}

function filesIn(folder: string): { readonly name: string; readonly text: string }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name))
    .map((name) => ({ name, text: readFileSync(name, 'latin1') }))
}

function canary(): string {
  return randomBytes(32).toString('base64url')
}
