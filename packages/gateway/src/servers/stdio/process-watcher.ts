import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ownProgram } from '../../package-files.ts'
import { within } from './process-tree.ts'

/**
 * Blocks until its input ends, which the system sees to when the gateway dies, however it dies. Then it turns into the
 * program that ends the servers. A shell needs 1 MB for the wait, Node would need 40.
 */
const SCRIPT = 'trap "" HUP INT TERM; read -r word; [ "$word" = done ] || exec "$@"'
const SHELL = '/bin/sh'
const STOP_MS = 1_000

/** The collaborators of the watcher. */
interface ProcessWatcherOptions {
  readonly dataDir: string
  readonly platform: NodeJS.Platform
  /** Called if it cannot be started: the next gateway ends the servers then. */
  readonly onError?: (error: unknown) => void
}

/** A small process that ends the servers of this gateway as soon as the gateway is gone without having stopped them. */
export class ProcessWatcher {
  readonly #options: ProcessWatcherOptions
  #child: ChildProcess | undefined

  constructor(options: ProcessWatcherOptions) {
    this.#options = options
  }

  /** Starts it, unless it runs. On Windows there is none. */
  start(): void {
    const { dataDir, platform, onError = () => undefined } = this.#options
    if (this.#child !== undefined || platform === 'win32') return
    const conditions = process.execArgv.filter((option) => option.startsWith('--conditions='))
    const program = fileURLToPath(ownProgram('servers/stdio/end-leftovers'))
    const ender = [process.execPath, ...conditions, program, resolve(dataDir), String(process.pid)]
    const child = spawn(SHELL, ['-c', SCRIPT, 'tooldex-watcher', ...ender], {
      // A session of its own: a signal to the gateway's group or terminal does not reach it.
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      cwd: '/',
      env: {},
    })
    this.#child = child
    const ended = (): void => {
      if (this.#child === child) this.#child = undefined
    }
    child.once('error', (error) => {
      ended()
      onError(error)
    })
    child.once('exit', ended)
    // It may have been killed.
    child.stdin?.on('error', ended)
    child.unref()
    ;(child.stdin as Socket | null)?.unref()
  }

  /** Ends it: all servers are stopped. */
  async stop(): Promise<void> {
    const child = this.#child
    if (child === undefined) return
    this.#child = undefined
    const exited = new Promise((done) => child.once('exit', done))
    child.ref()
    child.stdin?.end('done\n')
    await within(STOP_MS, exited)
    child.unref()
  }
}
