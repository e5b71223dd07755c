/** Faults during the start of the gateway. */
import { readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { evilServer } from './evil-server.ts'
import { type Fault, promise, timed, within } from './fault.ts'
import { plainHttpServer } from './http-server.ts'
import { Home, Program, toolNames } from './program.ts'
import { until } from './until.ts'

const SLOW_MS = 20_000
const FIRST_LIST_MS = 3_500
/** Installed packages; those with a second word need a folder. */
const NPM_SERVERS = [['everything'], ['memory'], ['filesystem', 'folder'], ['sequential-thinking']] as const

export const START_FAULTS: readonly Fault[] = [
  {
    name: 'slow-start',
    isQuick: false,
    run: async () => {
      using home = new Home()
      home.configure({ servers: { slow: evilServer({ startDelayMs: SLOW_MS }), good: evilServer() } })
      const started = await timed(() => Program.start(home))
      await using program = started.value
      const { ms } = await timed(async () => {
        const client = await program.client()
        await client.call('good__echo', { value: 1 })
      })
      promise(ms < SLOW_MS, 'it waited for the slow one')
      const told = within(ms, 1_000, 'the good server was called')
      return `${told} after the gateway listened, beside one that needs ${SLOW_MS / 1_000} s`
    },
  },
  {
    name: 'dead-servers',
    isQuick: true,
    run: async () => {
      using home = new Home()
      await using good = await plainHttpServer()
      const port = (good.http.address() as AddressInfo).port
      const entry = (path: string) => ({ url: `http://127.0.0.1:${port}/${path}` })
      const all = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`s${index}`, entry(`s${index}`)]))
      home.configure({ servers: all })
      await lastGoodOf(home, 50)
      await using silent = await silentServer()
      const dead = { url: `http://127.0.0.1:${(silent.http.address() as AddressInfo).port}/mcp` }
      const refusing = { url: 'http://127.0.0.1:1/mcp' }
      const gone = evilServer({ exitsAtStart: true })
      const kinds = [dead, refusing, gone, evilServer({ neverInitializes: true })]
      const broken = Array.from({ length: 20 }, (_, index) => [`s${index}`, kinds[index % kinds.length]])
      home.configure({ servers: { ...all, ...Object.fromEntries(broken) } })
      const first = await timed(() => Program.start(home))
      await using program = first.value
      const listed = await timed(async () => toolNames(await program.client()))
      const servers = new Set(listed.value.map((name) => name.split('__')[0]))
      promise(servers.size >= 30, `the first list has tools of ${servers.size} servers only`)
      // The dead ones are new here, so that the first list waits for them, once.
      const told = within(first.ms + listed.ms, FIRST_LIST_MS, 'tools/list answered')
      const start = `${listed.ms.toFixed(0)} after the gateway listened`
      return `${told} after the process began (${start}), with tools of ${servers.size} servers, 20 of 50 dead`
    },
  },
  {
    name: 'twenty-npm-servers',
    isQuick: false,
    run: async () => {
      using home = new Home()
      const kinds = NPM_SERVERS.map(([name, ...args]) => npmServer(name, args.length > 0 ? [home.folder] : []))
      const names = Array.from({ length: 20 }, (_, index) => `s${index}`)
      home.configure({ servers: Object.fromEntries(names.map((name, index) => [name, kinds[index % 4] ?? {}])) })
      const since = performance.now()
      await using program = await Program.start(home)
      const client = await program.client()
      const count = await until(async () => {
        const tools = await toolNames(client)
        const servers = new Set(tools.map((tool) => tool.split('__')[0]))
        return servers.size === names.length ? tools.length : undefined
      }, 60_000)
      const ms = performance.now() - since
      return `${within(ms, 8_000, `all ${count} tools of 20 npm servers were listed`)} after the process began`
    },
  },
  {
    name: 'concurrent-first-calls',
    isQuick: false,
    run: async () => {
      using home = new Home()
      const startsFile = join(home.folder, 'starts')
      home.configure({ servers: { lazy: evilServer({ startsFile }, { start: 'on-demand' }) } })
      await lastGoodOf(home, 1)
      rmSync(startsFile, { force: true })
      await using program = await Program.start(home)
      const client = await program.clientFor('lazy__echo')
      await Promise.all(Array.from({ length: 20 }, (_, value) => client.call('lazy__echo', { value })))
      const started = linesIn(startsFile)
      promise(started === 1, `${started} processes were started`)
      return '20 first calls at once started 1 process'
    },
  },
  {
    name: 'half-written-list',
    isQuick: false,
    run: async () => {
      using home = new Home()
      home.configure({ servers: { good: evilServer() } })
      await lastGoodOf(home, 1)
      inStore(home, (database) =>
        database.exec('update tool_snapshots set lists = substr(lists, 1, length(lists) / 2)'),
      )
      await using program = await Program.start(home)
      const { ms } = await timed(() => program.clientFor('good__echo'))
      return `a half-written last-good list is passed over; the server’s own came after ${ms.toFixed(0)} ms`
    },
  },
]

/** A published server, run by our own Node. */
function npmServer(name: string, args: readonly string[]): object {
  const manifest = createRequire(import.meta.url).resolve(`@modelcontextprotocol/server-${name}/package.json`)
  return { command: process.execPath, args: [manifest.replace('package.json', 'dist/index.js'), ...args] }
}

/** Runs a gateway until it knows the tools of a number of servers, and stops it. */
async function lastGoodOf(home: Home, servers: number): Promise<void> {
  await using program = await Program.start(home)
  await until(() => keptLists(home) >= servers || undefined, 20_000)
  await program.stop()
}

function keptLists(home: Home): number {
  try {
    const { count } = inStore(home, (database) =>
      database.prepare('select count(*) as count from tool_snapshots').get(),
    )
    return Number(count)
  } catch {
    // The file is being made or written.
    return 0
  }
}

function inStore<Result>(home: Home, work: (database: DatabaseSync) => Result): NonNullable<Result> {
  const database = new DatabaseSync(join(home.dataDir, 'tooldex.db'))
  try {
    return work(database) as NonNullable<Result>
  } finally {
    database.close()
  }
}

const linesIn = (path: string): number => {
  try {
    return readFileSync(path, 'utf8').trim().split('\n').length
  } catch {
    return 0
  }
}

/** Accepts connections and never answers. */
async function silentServer(): Promise<{ readonly http: Server } & AsyncDisposable> {
  const http = createServer(() => undefined)
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return {
    http,
    [Symbol.asyncDispose]: async () => {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}
