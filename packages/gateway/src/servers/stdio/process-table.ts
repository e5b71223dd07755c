import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { promisify } from 'node:util'

/** One process of this machine. */
export interface ProcessRow {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number | undefined
  /** The start time. Together with the pid it identifies a process, even across restarts of the machine. */
  readonly start: string
  /** The start time as a number in the table's own unit, for comparison. */
  readonly startedAt: number
}

/** The processes of this machine, without zombies. */
export interface ProcessTable {
  rows(): Promise<ReadonlyMap<number, ProcessRow>>
  row(pid: number): Promise<ProcessRow | undefined>
  /** The value of a variable in a process's initial environment, if the system shows it. */
  variable(pid: number, name: string): string | undefined
}

/** The table that this system offers: `/proc` on Linux, `ps` elsewhere. */
export function systemProcessTable(platform: NodeJS.Platform): ProcessTable {
  return platform === 'linux' ? new ProcTable() : new PsTable()
}

/** How many processes are read at once; more would stall the event loop. */
const SLICE = 64

/** Reads `/proc`. Callers share a reading that has not begun yet. */
class ProcTable implements ProcessTable {
  // Start times count from boot, so they are combined with the boot's id.
  readonly #boot = bootId()
  #next: Promise<ReadonlyMap<number, ProcessRow>> | undefined
  #current: Promise<unknown> = Promise.resolve()

  rows(): Promise<ReadonlyMap<number, ProcessRow>> {
    if (this.#next !== undefined) return this.#next
    const next = this.#current.then(() => {
      this.#next = undefined
      return this.#read()
    })
    this.#next = next
    this.#current = next.catch(() => undefined)
    return next
  }

  row(pid: number): Promise<ProcessRow | undefined> {
    return Promise.resolve(this.#row(pid))
  }

  variable(pid: number, name: string): string | undefined {
    const environment = readOrEmpty(`/proc/${pid}/environ`).split('\0')
    return environment.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1)
  }

  async #read(): Promise<ReadonlyMap<number, ProcessRow>> {
    const rows = new Map<number, ProcessRow>()
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
    for (let at = 0; at < pids.length; at++) {
      if (at % SLICE === SLICE - 1) await new Promise(setImmediate)
      const row = this.#row(Number(pids[at]))
      if (row !== undefined) rows.set(row.pid, row)
    }
    return rows
  }

  #row(pid: number): ProcessRow | undefined {
    const stat = readOrEmpty(`/proc/${pid}/stat`)
    // The name, in parentheses, may itself hold spaces and parentheses.
    const [state, parent, group, session, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const start = rest[15]
    if (start === undefined || state === 'Z' || state === 'X') return undefined
    return {
      pid,
      parent: Number(parent),
      group: Number(group),
      session: Number(session),
      start: `${this.#boot}:${start}`,
      startedAt: Number(start),
    }
  }
}

const run = promisify(execFile)

/** Runs `ps`, which every Unix has; it does not show environments. */
export class PsTable implements ProcessTable {
  async rows(): Promise<ReadonlyMap<number, ProcessRow>> {
    const rows = await this.#ask(['-axo', 'pid=,ppid=,pgid=,stat=,lstart='])
    return new Map(rows.map((row) => [row.pid, row]))
  }

  async row(pid: number): Promise<ProcessRow | undefined> {
    const [row] = await this.#ask(['-o', 'pid=,ppid=,pgid=,stat=,lstart=', '-p', String(pid)])
    return row
  }

  variable(): undefined {
    return undefined
  }

  async #ask(args: readonly string[]): Promise<ProcessRow[]> {
    // `ps` fails when no process matches.
    const { stdout } = await run('ps', args, { env: PS_ENVIRONMENT, maxBuffer: 2 ** 26 }).catch(() => ({ stdout: '' }))
    return stdout.split('\n').flatMap((line) => {
      const [, pid, parent, group, state, start] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line) ?? []
      if (start === undefined || state?.startsWith('Z')) return []
      const startedAt = Date.parse(start)
      return [{ pid: Number(pid), parent: Number(parent), group: Number(group), session: undefined, start, startedAt }]
    })
  }
}

/** Dates in English, independent of the user's language. */
const PS_ENVIRONMENT = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' }

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** Identifies this boot and this pid namespace: in another container the same pid is another process. */
function bootId(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot}:${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return ''
  }
}
