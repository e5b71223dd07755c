import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { endProcess, type ServeProcess, startServe } from '../kit/serve.ts'

const MAIN = fileURLToPath(new URL('../../packages/gateway/src/main.ts', import.meta.url))
const COUNTER = new URL('./count-calls.ts', import.meta.url).href
/** Between two looks at an idle gateway, and how many looks in a row must find it idle. */
const LOOK_MS = 50
const IDLE_LOOKS = 4
const IDLE_WITHIN_LOOKS = 200

/** The program from its sources, in a process of its own, with its function calls counted. */
export class CountedGateway implements AsyncDisposable {
  readonly #process: ServeProcess
  readonly #folder: string

  private constructor(process: ServeProcess, folder: string) {
    this.#process = process
    this.#folder = folder
  }

  /** Starts the program with a configuration in the form of `tooldex.json`. */
  static async start(config: object): Promise<CountedGateway> {
    const folder = mkdtempSync(join(tmpdir(), 'tooldex-walk-'))
    const [configFile, dataDir] = [join(folder, 'tooldex.json'), join(folder, 'data')]
    writeFileSync(configFile, JSON.stringify(config))
    const nodeOptions = ['--conditions=tooldex-source', '--import', COUNTER]
    return new CountedGateway(await startServe({ main: MAIN, configFile, dataDir, nodeOptions, ipc: true }), folder)
  }

  get url(): string {
    return this.#process.url
  }

  /** Opens the admin API. */
  get ownerToken(): string {
    return this.#process.ownerToken
  }

  /** The functions that the gateway runs while `action` is under way. Waits until the gateway is idle first. */
  async functionsOf(action: () => Promise<unknown>): Promise<ReadonlySet<string>> {
    await this.#idle()
    await action()
    return new Set(await this.#takeCalls())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await endProcess(this.#process.child)
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 })
  }

  /** Resolves after several looks in a row that found no function called: timers and delayed writes are done. */
  async #idle(): Promise<void> {
    let idleLooks = 0
    for (let look = 0; idleLooks < IDLE_LOOKS; look++) {
      await delay(LOOK_MS)
      // The watchdog beats until clients have been away for minutes.
      const calls = (await this.#takeCalls()).filter((call) => !call.includes('/telemetry/watchdog.ts'))
      if (look === IDLE_WITHIN_LOOKS) throw new Error(`The gateway does not come to rest: ${calls.join(', ')}`)
      idleLooks = calls.length === 0 ? idleLooks + 1 : 0
    }
  }

  async #takeCalls(): Promise<readonly string[]> {
    const { child } = this.#process
    const answer = once(child, 'message')
    child.send('take')
    const [calls] = (await answer) as [readonly string[]]
    return calls
  }
}
