/** Faults of processes: those that do not end, and a gateway that is killed. */
import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { gatewayWith, type TestGateway } from '../kit/gateway.ts'
import { evilServer } from './evil-server.ts'
import { type Fault, promise, within } from './fault.ts'
import { childrenOf, isRunning, openFiles, running } from './processes.ts'
import { Home, Program } from './program.ts'
import { until } from './until.ts'

const CYCLES = { quick: 9, usual: 100, full: 500 } as const
const STUBBORN = { stubborn: evilServer({ isStubborn: true }) }
/** The same, with a process for each client. */
const FOR_EACH = { stubborn: evilServer({ isStubborn: true }, { instances: 'per-client' }) }
const CLIENTS = 4
/** How long processes may outlive a gateway that was killed. */
const GONE_MS = 2_000

/** The same program as the stubborn server, but no server of the gateway. */
class Bystander implements Disposable {
  readonly #child: ChildProcess

  constructor() {
    const { command, args } = STUBBORN.stubborn as { command: string; args: string[] }
    this.#child = spawn(command, args, { stdio: ['pipe', 'ignore', 'ignore'] })
  }

  get isRunning(): boolean {
    return isRunning(this.#child.pid ?? 0)
  }

  [Symbol.dispose](): void {
    this.#child.kill('SIGKILL')
  }
}

export const PROCESS_FAULTS: readonly Fault[] = [
  {
    name: 'stop-with-stubborn-family',
    isQuick: false,
    run: async () => {
      using home = new Home()
      home.configure({ servers: STUBBORN })
      await using program = await Program.start(home)
      const family = await familyOf(program)
      const told = within(await program.stop(), 3_000, 'stopped in')
      const left = running(family)
      promise(left.length === 0, `${left.length} of ${family.length} processes are left`)
      return `${told}, ${family.length} processes that ignore SIGTERM are gone`
    },
  },
  {
    name: 'gateway-killed',
    isQuick: true,
    run: async () => {
      using home = new Home()
      home.configure({ servers: STUBBORN })
      await using program = await Program.start(home)
      const family = await familyOf(program)
      using bystander = new Bystander()
      const since = performance.now()
      await program.kill()
      const survivors = running(family)
      promise(survivors.length > 0, 'no process survived the kill, so that this proves nothing')
      await until(() => running(family).length === 0 || undefined, 10_000)
      const told = within(performance.now() - since, GONE_MS, 'after')
      promise(bystander.isRunning, 'an unrelated process was ended, too')
      return `${survivors.length} processes survived kill -9; 0 ${told}, without a next start`
    },
  },
  {
    name: 'stop-with-client-instances',
    isQuick: true,
    run: async () => {
      using home = new Home()
      home.configure({ servers: FOR_EACH })
      await using program = await Program.start(home)
      const families = await familiesOf(program)
      const told = within(await program.stop(), 3_000, 'stopped in')
      const left = running(families)
      promise(left.length === 0, `${left.length} of ${families.length} processes are left`)
      return `${told}, ${families.length} processes of ${CLIENTS} clients that ignore SIGTERM are gone`
    },
  },
  {
    name: 'killed-with-client-instances',
    isQuick: true,
    run: async () => {
      using home = new Home()
      home.configure({ servers: FOR_EACH })
      await using program = await Program.start(home)
      const families = await familiesOf(program)
      const since = performance.now()
      await program.kill()
      const survivors = running(families)
      promise(survivors.length > 0, 'no process survived the kill, so that this proves nothing')
      await until(() => running(families).length === 0 || undefined, 10_000)
      const told = within(performance.now() - since, GONE_MS, 'after')
      return `${survivors.length} processes of ${CLIENTS} clients survived kill -9; 0 ${told}`
    },
  },
  {
    name: 'client-instance-crashes',
    isQuick: true,
    run: async () => {
      using home = new Home()
      home.configure({ servers: { evil: evilServer({}, { instances: 'per-client' }) } })
      await using program = await Program.start(home)
      const one = await program.clientFor('evil__crash')
      const other = await program.clientFor('evil__crash')
      const calm = Array.from({ length: 20 }, () => other.call('evil__echo', { value: 1 }))
      const crashed = await one.call('evil__crash').then(
        () => false,
        () => true,
      )
      promise(crashed, 'the call of the crashed instance did not fail')
      await Promise.all(calm)
      await other.call('evil__echo', { value: 1 })
      await one.call('evil__echo', { value: 1 })
      return 'one client lost its call, the other none of 21; the next call of the first works'
    },
  },
  {
    name: 'gateway-and-watcher-killed',
    isQuick: true,
    run: async () => {
      using home = new Home()
      home.configure({ servers: STUBBORN })
      await using program = await Program.start(home)
      const family = await familyOf(program)
      using bystander = new Bystander()
      for (const pid of childrenOf(program.pid)) if (!family.includes(pid)) process.kill(pid, 'SIGKILL')
      await program.kill()
      const survivors = running(family)
      promise(survivors.length > 0, 'no process survived the kill, so that this proves nothing')
      await using next = await Program.start(home)
      await until(() => running(family).length === 0 || undefined, 5_000)
      promise(bystander.isRunning, 'an unrelated process was ended, too')
      promise(isRunning(next.pid), 'the next gateway did not survive')
      return `${survivors.length} processes survived kill -9 of both; the next start ended them and no other`
    },
  },
  {
    name: 'start-stop-crash-cycles',
    isQuick: true,
    run: async (size) => {
      await using gateway = await gatewayWith({ servers: { evil: evilServer() as never } })
      await cycle(gateway, 0)
      await cycle(gateway, 1)
      const before = counted()
      for (let index = 0; index < CYCLES[size]; index++) await cycle(gateway, index)
      // The last stopped process may remain a zombie for a moment.
      await delay(500)
      const after = counted()
      promise(after.processes === before.processes, `${after.processes - before.processes} processes more than before`)
      promise(after.files <= before.files, `${after.files - before.files} open files more than before`)
      return `after ${CYCLES[size]} cycles: +0 processes, +0 open files`
    },
  },
]

/** The processes of several clients at once, each with a server of its own. */
async function familiesOf(program: Program): Promise<readonly number[]> {
  const families = await Promise.all(Array.from({ length: CLIENTS }, () => familyOf(program)))
  const pids = new Set(families.flat())
  promise(pids.size === families.flat().length, 'two clients have the same process')
  return [...pids]
}

async function familyOf(program: Program): Promise<readonly number[]> {
  const client = await program.clientFor('stubborn__family')
  const { content } = await client.call('stubborn__family')
  return content[0].text.split(' ').map(Number)
}

/** A start and an end of the server, in turn: as asked, by a crash, and both at once. */
async function cycle({ inside }: TestGateway, index: number): Promise<void> {
  const server = inside.pool.get('evil')
  promise(server !== undefined, 'there is no server')
  const call = (name: string) => server.request({ method: 'tools/call', params: { name, arguments: { value: 1 } } })
  if (index % 3 === 0) await server.restart()
  if (index % 3 === 1) await call('crash').catch(() => undefined)
  if (index % 3 === 2) await server.stop().then(() => server.start())
  await call('echo')
}

function counted(): { readonly processes: number; readonly files: number } {
  return { processes: childrenOf(process.pid).length, files: openFiles(process.pid) }
}
