import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { until } from '../kit/gateway.ts'

const MAIN = fileURLToPath(new URL('../../packages/gateway/src/main.ts', import.meta.url))
const COUNTER = new URL('./count-calls.ts', import.meta.url).href
const STARTED_WITHIN_MS = 30_000
/** Between two looks at an idle gateway, and how many looks in a row must find it idle. */
const LOOK_MS = 50
const IDLE_LOOKS = 4
const IDLE_WITHIN_LOOKS = 200

/** The program from its sources, in a process of its own, with its function calls counted. */
export class CountedGateway implements AsyncDisposable {
  readonly url: string
  /** Opens the admin API. */
  readonly ownerToken: string
  readonly #child: ChildProcess
  readonly #folder: string

  private constructor(child: ChildProcess, folder: string, record: RunRecord) {
    this.#child = child
    this.#folder = folder
    this.url = record.url
    this.ownerToken = record.token
  }

  /** Starts the program with a configuration in the form of `tooldex.json`. */
  static async start(config: object): Promise<CountedGateway> {
    const folder = mkdtempSync(join(tmpdir(), 'tooldex-walk-'))
    const [file, data] = [join(folder, 'tooldex.json'), join(folder, 'data')]
    writeFileSync(file, JSON.stringify(config))
    const args = ['--conditions=tooldex-source', '--import', COUNTER, MAIN, 'serve', '--port', '0']
    const child = spawn(process.execPath, [...args, '--config', file, '--data', data], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    let log = ''
    child.stderr?.on('data', (part) => (log = `${log}${part}`.slice(-10_000)))
    let record: RunRecord | undefined
    await until(() => {
      if (child.exitCode !== null) throw new Error(`The gateway ended with ${child.exitCode}: ${log}`)
      record = readRecord(join(data, 'gateway.json'))
      return record !== undefined
    }, STARTED_WITHIN_MS)
    return new CountedGateway(child, folder, record as RunRecord)
  }

  /** The functions that the gateway runs while `action` is under way. Waits until the gateway is idle first. */
  async functionsOf(action: () => Promise<unknown>): Promise<ReadonlySet<string>> {
    await this.#idle()
    await action()
    return new Set(await this.#takeCalls())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null) {
      const ended = once(this.#child, 'exit')
      this.#child.kill('SIGTERM')
      await ended
    }
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 })
  }

  /** Resolves after several looks in a row that found no function called: timers and delayed writes are done. */
  async #idle(): Promise<void> {
    let idleLooks = 0
    for (let look = 0; idleLooks < IDLE_LOOKS; look++) {
      if (look === IDLE_WITHIN_LOOKS) throw new Error('The gateway does not come to rest')
      await delay(LOOK_MS)
      idleLooks = (await this.#takeCalls()).length === 0 ? idleLooks + 1 : 0
    }
  }

  async #takeCalls(): Promise<readonly string[]> {
    const answer = once(this.#child, 'message')
    this.#child.send('take')
    const [calls] = (await answer) as [readonly string[]]
    return calls
  }
}

interface RunRecord {
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
