import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import type { Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { childEnvironment, type Environment } from './child-environment.ts'
import { startChild } from './child-process.ts'
import { OutputThrottle } from '../protocol/output-throttle.ts'
import type { ServerProcesses } from './process-registry.ts'
import type { ProcessTable } from './process-table.ts'
import { DEFAULT_STOP_TIMES, MARK_VARIABLE, type StopTimes, stopTree, type TreeRoot, within } from './process-tree.ts'

/** How long output is read after a server's end; a child of it may hold the pipe open. */
const DRAIN_MS = 100
/** If the event loop was blocked, that time is over before a full pipe was read; each turn reads a chunk of it. */
const MOST_TURNS = 64

/** The program to start, and the collaborators of the process. */
export interface ServerProcessOptions {
  /** The server's name, for messages. */
  readonly server: string
  readonly command: string
  readonly args: readonly string[]
  /** The variables that the definition declares. */
  readonly env: Environment
  readonly cwd?: string | undefined
  /** The gateway's own environment; only a short list of harmless variables is passed on. */
  readonly ourEnv: Environment
  readonly table: ProcessTable
  /** Records the processes, in case the gateway is killed. */
  readonly processes?: ServerProcesses | undefined
  readonly stopTimes?: StopTimes | undefined
}

/** Receives the output and the end of a server. */
export interface ServerProcessHandlers {
  readonly output: (chunk: Buffer) => void
  readonly outputEnd: () => void
  readonly errors: (chunk: Buffer) => void
  /** The process has ended, and all its output was delivered. */
  readonly exit: (code: number | null, signal: string | null) => void
  /** An error of a stream, which does not end the process. */
  readonly problem: (error: Error) => void
}

/** The process of a server: its streams, its end, and the end of its descendants. */
export class ServerProcess {
  readonly pid: number
  /** Slows down a server whose output is not messages. */
  readonly outputGate: OutputThrottle
  readonly #errorGate: OutputThrottle
  readonly #child: ChildProcessWithoutNullStreams
  readonly #options: ServerProcessOptions
  #root: TreeRoot
  readonly #exited: Promise<void>
  readonly #noted: Promise<void>
  #drained: Promise<void> | undefined
  #stopping: Promise<void> | undefined

  /** @throws GatewayError SERVER_START_FAILED */
  static async start(options: ServerProcessOptions, handlers: ServerProcessHandlers): Promise<ServerProcess> {
    const { server, command, args, cwd, ourEnv, env, processes } = options
    const { platform } = process
    const mark = (await processes?.mark()) ?? randomUUID()
    const fullEnv = { ...childEnvironment(ourEnv, env, platform), [MARK_VARIABLE]: mark }
    const child = await startChild({ server, command, args, cwd, env: fullEnv, platform })
    const pid = child.pid ?? 0
    const started = new ServerProcess(options, child, { pid, mark, startedAt: undefined }, handlers)
    await started.#noted
    return started
  }

  private constructor(
    options: ServerProcessOptions,
    child: ChildProcessWithoutNullStreams,
    root: TreeRoot,
    handlers: ServerProcessHandlers,
  ) {
    this.#options = options
    this.#child = child
    this.#root = root
    this.pid = root.pid
    this.outputGate = OutputThrottle.reading(child.stdout, handlers.output)
    this.#errorGate = new OutputThrottle(child.stderr)
    this.#listen(handlers)
    this.#exited = this.#watchExit(handlers)
    this.#noted = this.#note()
  }

  get hasExited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  get input(): Writable {
    return this.#child.stdin
  }

  /** Ends the server and its descendants. Never throws; all calls share one end. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop()
    return this.#stopping
  }

  async #note(): Promise<void> {
    const { table, processes, command } = this.#options
    const row = await table.row(this.pid).catch(() => undefined)
    this.#root = { ...this.#root, startedAt: row?.startedAt }
    await processes?.add({ pid: this.pid, command })
  }

  async #stop(): Promise<void> {
    const { table, stopTimes: times = DEFAULT_STOP_TIMES, processes } = this.#options
    this.#child.stdin.end()
    await this.#noted
    const isGone = await stopTree({
      root: this.#root,
      exited: this.#exited,
      hasExited: () => this.hasExited,
      table,
      times,
      platform: process.platform,
    })
    await this.#drained
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) stream.destroy()
    if (isGone) processes?.remove(this.pid)
  }

  #listen({ outputEnd, errors, problem }: ServerProcessHandlers): void {
    const { stdin, stdout, stderr } = this.#child
    stdout.once('close', () => {
      outputEnd()
      // Without its output a server is of no use, whether or not it runs.
      void this.stop()
    })
    const gate = this.#errorGate
    stderr.on('data', (chunk: Buffer) => {
      gate.spend(chunk.length)
      errors(chunk)
    })
    // A broken pipe means that the server ended, which is reported separately.
    const report = (error: NodeJS.ErrnoException): void => (error.code === 'EPIPE' ? undefined : problem(error))
    for (const stream of [stdin, stdout, stderr]) stream.on('error', report)
  }

  #watchExit({ exit }: ServerProcessHandlers): Promise<void> {
    const { stdout, stderr } = this.#child
    const closed = Promise.all(
      [stdout, stderr].map((stream) => new Promise((resolve) => stream.once('close', resolve))),
    )
    return new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => {
        this.outputGate.open()
        this.#errorGate.open()
        this.#drained = within(DRAIN_MS, closed)
          .then(() => readLateChunks(closed))
          .then(() => exit(code, signal))
        resolve()
        void this.stop()
      })
    })
  }
}

async function readLateChunks(closed: Promise<unknown>): Promise<void> {
  let isClosed = false
  void closed.then(() => {
    isClosed = true
  })
  for (let turn = 0; turn < MOST_TURNS && !isClosed; turn++) await setImmediate()
}
