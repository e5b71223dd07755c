import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const STARTED_WITHIN_MS = 30_000
const POLL_MS = 2
const LONGEST_LOG = 1_000_000

/** How `tooldex serve` is started. */
export interface ServeOptions {
  /** The program: its sources or its bundle. */
  readonly main: string
  readonly configFile: string
  readonly dataDir: string
  readonly nodeOptions?: readonly string[]
  /** Opens a channel for messages between the two processes. */
  readonly ipc?: boolean
  /** Added to its environment. */
  readonly variables?: Readonly<Record<string, string>>
}

/** A gateway in a process of its own. */
export interface ServeProcess {
  readonly child: ChildProcess
  readonly url: string
  /** Opens the admin API for the owner of the data folder. */
  readonly ownerToken: string
  /** The end of its log so far. */
  log(): string
}

/** Starts the program on a free port. Resolves when it accepts connections, which may be before its servers run. */
export async function startServe(options: ServeOptions): Promise<ServeProcess> {
  const { main, configFile, dataDir, nodeOptions = [], ipc = false, variables } = options
  const args = [...nodeOptions, main, 'serve', '--port', '0', '--config', configFile, '--data', dataDir]
  const child = spawn(process.execPath, args, {
    ...(variables !== undefined && { env: { ...process.env, ...variables } }),
    stdio: ['ignore', 'ignore', 'pipe', ...(ipc ? (['ipc'] as const) : [])],
  })
  let log = ''
  child.stderr?.on('data', (part) => (log = `${log}${part}`.slice(-LONGEST_LOG)))
  const end = performance.now() + STARTED_WITHIN_MS
  while (performance.now() < end && child.exitCode === null) {
    const record = readRecord(join(dataDir, 'gateway.json'))
    if (record !== undefined && record.pid === child.pid) {
      return { child, url: record.url, ownerToken: record.token, log: () => log }
    }
    await delay(POLL_MS)
  }
  throw new Error(`The gateway did not start: exit code ${child.exitCode}, ${log.slice(-2_000)}`)
}

/** Ends a process with a signal, and waits for it. */
export async function endProcess(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

interface RunRecord {
  readonly pid: number
  readonly url: string
  readonly token: string
}

function readRecord(path: string): RunRecord | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as RunRecord
  } catch {
    return undefined
  }
}
