import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { endProcess, startServe } from '../test/kit/serve.ts'

const GATEWAY = fileURLToPath(new URL('../packages/gateway/dist/main.js', import.meta.url))
const ECHO = fileURLToPath(new URL('./echo-server.ts', import.meta.url))
/** The unit in which the system counts processor time. */
const TICK_MS = 10

/** A program under measurement, in a process of its own. */
export class MeasuredProcess implements AsyncDisposable {
  readonly url: string
  readonly #child: ChildProcess

  constructor(url: string, child: ChildProcess) {
    this.url = url
    this.#child = child
  }

  /** Processor time used so far, in milliseconds. */
  cpuMs(): number {
    const text = readFileSync(`/proc/${this.#child.pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS
  }

  /** Resident memory, in megabytes. */
  rssMb(): number {
    const text = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+)/.exec(text)?.[1] ?? 0) / 1024
  }

  [Symbol.asyncDispose](): Promise<void> {
    return endProcess(this.#child)
  }
}

/** Starts the echo server with a number of tools. */
export async function startEcho(tools = 1): Promise<MeasuredProcess> {
  const child = spawn(process.execPath, [ECHO, String(tools)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return new MeasuredProcess(line.toString().trim(), child)
}

/** A folder for a gateway's configuration and data. */
export class GatewayHome implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'tooldex-bench-'))

  constructor(servers: Readonly<Record<string, object>>) {
    const endpoints = { open: { exposure: 'full', auth: 'none', dropPrefix: true } }
    writeFileSync(join(this.#folder, 'tooldex.json'), JSON.stringify({ mcpServers: servers, endpoints }))
  }

  /** Starts the program. Resolves when it accepts connections. */
  async start(nodeOptions: readonly string[] = [], main = GATEWAY): Promise<MeasuredProcess> {
    const [configFile, dataDir] = [join(this.#folder, 'tooldex.json'), join(this.#folder, 'data')]
    const { url, child } = await startServe({ main, configFile, dataDir, nodeOptions })
    return new MeasuredProcess(`${url}/open/mcp`, child)
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
