import { once } from 'node:events'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Json, MinimalClient } from '../../bench/minimal-client.ts'
import { endProcess, type ServeProcess, startServe } from '../kit/serve.ts'
import { builtProgram } from '../kit/shared.ts'
import { until } from './until.ts'

/** The configuration beside the endpoints of the faults. */
export interface ProgramSetup {
  readonly servers: Readonly<Record<string, object>>
  /** By name; the value is the secret. */
  readonly tokens?: Readonly<Record<string, string>>
  readonly listen?: object
}

/** How long turns of the event loop took, in milliseconds: by the clock, and in processor time of the main thread. */
export interface LoopFigures {
  readonly wall: { readonly p999: number; readonly most: number }
  readonly processor: { readonly p999: number; readonly most: number }
  /** The processor time of all threads since the last report. */
  readonly usedMs: number
  /** The memory of the process now, in bytes. */
  readonly rss: number
  /** Of it, what the main thread holds. */
  readonly heap: number
  /** How long the process has run, in milliseconds. */
  readonly ageMs: number
}

const MAIN = await builtProgram()
const PROBE = new URL('./loop-probe.mjs', import.meta.url).href
const STARTED_WITHIN_MS = 30_000

/** A folder for a gateway's configuration and data, removed in the end. */
export class Home implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'tooldex-faults-'))
  readonly configFile = join(this.folder, 'tooldex.json')
  readonly dataDir = join(this.folder, 'data')

  /** Writes the configuration as editors do: a new file in the place of the old one. */
  configure({ servers, tokens = {}, listen = {} }: ProgramSetup): void {
    const config = {
      mcpServers: servers,
      listen,
      endpoints: {
        open: { exposure: 'full', auth: 'none' },
        guarded: { exposure: 'full' },
      },
      tokens: Object.entries(tokens).map(([name, value]) => ({ name, value })),
    }
    this.write(JSON.stringify(config))
  }

  write(text: string): void {
    writeFileSync(`${this.configFile}.new`, text)
    renameSync(`${this.configFile}.new`, this.configFile)
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** The program in a process of its own. */
export class Program implements AsyncDisposable {
  readonly #process: ServeProcess
  readonly #clients: MinimalClient[] = []

  constructor(process: ServeProcess) {
    this.#process = process
  }

  /** Starts it and waits until it accepts connections, not for its servers. */
  static async start({ configFile, dataDir }: Home, { probe = false } = {}): Promise<Program> {
    const nodeOptions = ['--conditions=tooldex-source', ...(probe ? ['--import', PROBE] : [])]
    return new Program(await startServe({ main: MAIN, configFile, dataDir, nodeOptions, ipc: probe }))
  }

  get url(): string {
    return this.#process.url
  }

  /** Its log. */
  get log(): string {
    return this.#process.log()
  }

  /** The owner's token for the admin API. */
  get ownerToken(): string {
    return this.#process.ownerToken
  }

  /** The turns of its event loop since the last time, if it was started with a probe. */
  async loop(): Promise<LoopFigures> {
    const { child } = this.#process
    const answered = once(child, 'message')
    child.send('report')
    const [figures] = (await answered) as [LoopFigures]
    return figures
  }

  get pid(): number {
    return this.#process.child.pid ?? 0
  }

  /** A client with a session on the endpoint without a token, or on the guarded one with it. */
  client(token?: string, capabilities: Json = {}): Promise<MinimalClient> {
    const client = new MinimalClient(`${this.url}/${token === undefined ? 'open' : 'guarded'}/mcp`, { token })
    this.#clients.push(client)
    return client.connect(capabilities)
  }

  /** A client that can call the tool: the list of its server is known. */
  async clientFor(tool: string, withinMs = STARTED_WITHIN_MS): Promise<MinimalClient> {
    const client = await this.client()
    await until(async () => (await toolNames(client)).includes(tool) || undefined, withinMs)
    return client
  }

  /** Sends SIGTERM and waits. Resolves to the duration in milliseconds. */
  stop(): Promise<number> {
    return this.#end('SIGTERM')
  }

  /** Sends SIGKILL and waits. */
  kill(): Promise<number> {
    return this.#end('SIGKILL')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients) client.close()
    await this.#end('SIGTERM')
  }

  async #end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number> {
    const since = performance.now()
    await endProcess(this.#process.child, signal)
    return performance.now() - since
  }
}

/** The names on the list that a client gets. */
export async function toolNames(client: MinimalClient): Promise<readonly string[]> {
  const { tools } = await client.request('tools/list')
  return (tools as readonly { name: string }[]).map(({ name }) => name)
}
