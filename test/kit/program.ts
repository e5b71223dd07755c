import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { until } from './gateway.ts'
import { endProcess } from './serve.ts'
import { builtProgram } from './shared.ts'

const MAIN = await builtProgram()
const STARTED_WITHIN_MS = 30_000

/** The exit code and the output of a command. */
export interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
  /** The output of `--json`, parsed. */
  json(): Readonly<Record<string, never>>
}

/** A user's machine: a home folder, a working folder, and the program `tooldex` on the path. */
export class Machine implements AsyncDisposable {
  readonly folder: string
  readonly dataDir: string
  /** The environment of its programs. */
  readonly variables: Readonly<Record<string, string>>
  readonly #running = new Set<ChildProcess>()

  constructor(variables: Readonly<Record<string, string>> = {}) {
    const home = mkdtempSync(join(tmpdir(), 'tooldex-machine-'))
    this.folder = join(home, 'work')
    this.dataDir = join(home, '.tooldex')
    const programs = join(home, 'bin')
    mkdirSync(this.folder)
    mkdirSync(programs)
    // A free port, so that machines do not disturb each other; with KEEP_PORT the one of the configuration.
    const tooldex = `[ "$1" = serve ] && [ -z "$KEEP_PORT" ] && set -- "$@" --port 0\nexec "${process.execPath}" --conditions=tooldex-source "${MAIN}" "$@"`
    writeProgram(join(programs, 'tooldex'), tooldex)
    // npx runs the installed packages.
    writeProgram(join(programs, 'npx'), `shift\nexec "${process.execPath}" "${packagesFolder()}/$1/dist/index.js" "$@"`)
    this.variables = {
      PATH: [programs, dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter),
      HOME: home,
      NO_COLOR: '1',
      ...variables,
    }
  }

  /** Runs a line in a shell. */
  run(line: string): Promise<Ended> {
    const options = { cwd: this.folder, env: this.variables, maxBuffer: 64 * 1024 * 1024 }
    return new Promise((resolve) => {
      execFile('/bin/sh', ['-c', line], options, (error, out, err) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
        resolve({ code, out, err, json: () => JSON.parse(out) as Readonly<Record<string, never>> })
      })
    })
  }

  /** Starts a gateway and waits until it has printed its endpoints. */
  async serve(...args: readonly string[]): Promise<RunningProgram> {
    const child = spawn('tooldex', ['serve', ...args], {
      cwd: this.folder,
      env: this.variables,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#running.add(child)
    const told = { out: '', err: '' }
    child.stdout.on('data', (part) => (told.out += String(part)))
    child.stderr.on('data', (part) => (told.err += String(part)))
    await until(() => {
      if (child.exitCode !== null) throw new Error(`The gateway ended with ${child.exitCode}: ${told.err}`)
      return /\n {2}endpoint .*\n[^]*\n\n/.test(told.out)
    }, STARTED_WITHIN_MS)
    const folder = args[args.indexOf('--data') + 1] ?? ''
    const record = join(args.includes('--data') ? folder : this.dataDir, 'gateway.json')
    const { url } = JSON.parse(readFileSync(record, 'utf8')) as { url: string }
    return new RunningProgram(child, url, told)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#running) await endProcess(child)
    rmSync(dirname(this.folder), { recursive: true, force: true, maxRetries: 3 })
  }
}

/** A gateway in a process of its own. */
export class RunningProgram {
  readonly url: string
  readonly #child: ChildProcess
  readonly #told: { readonly out: string; readonly err: string }

  constructor(child: ChildProcess, url: string, told: { readonly out: string; readonly err: string }) {
    this.#child = child
    this.url = url
    this.#told = told
  }

  /** Its standard output so far. */
  get out(): string {
    return this.#told.out
  }

  /** Its log so far. */
  get err(): string {
    return this.#told.err
  }

  stop(): Promise<void> {
    return endProcess(this.#child)
  }

  kill(): Promise<void> {
    return endProcess(this.#child, 'SIGKILL')
  }
}

function writeProgram(path: string, script: string): void {
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
}

function packagesFolder(): string {
  const found = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-memory/package.json')
  return join(dirname(found), '..', '..')
}
