import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isRecord, parseJson } from '@tooldex/http-kit/json'
import type { ProcessRow, ProcessTable } from './process-table.ts'
import type { ProcessWatcher } from './process-watcher.ts'
import { addDescendants, MARK_VARIABLE, signalAll, stillRunning } from './process-tree.ts'

/** The processes that this gateway started. */
export interface ServerProcesses {
  /** A new value for the variable that marks a server and its descendants. To be called before the start. */
  mark(): Promise<string>
  /** A server was started. Never throws. */
  add(child: { readonly pid: number; readonly command: string }): Promise<void>
  /** A server and all its descendants have ended. */
  remove(pid: number): void
}

/** The collaborators of the registry. */
interface ProcessRegistryOptions {
  readonly dataDir: string
  readonly table: ProcessTable
  /** Ends the servers if this gateway is killed; without it, the next gateway does. */
  readonly watcher?: Pick<ProcessWatcher, 'start' | 'stop'>
  /** Called when the file cannot be written: servers run all the same, but may survive a `kill -9` of the gateway. */
  readonly onError?: (error: unknown) => void
}

/** The result of a sweep. */
interface SweepReport {
  /** Gateways that had ended without stopping their servers. */
  readonly gateways: number
  /** Processes that were ended. */
  readonly ended: number
}

/**
 * Records on disk what this gateway started, so that the watcher or the next gateway can end it if this one is killed. One file per gateway, `<dataDir>/processes/<pid>.jsonl`: first the gateway, then its servers.
 */
export class ProcessRegistry implements ServerProcesses {
  readonly #folder: string
  readonly #table: ProcessTable
  readonly #watcher: ProcessRegistryOptions['watcher']
  readonly #onError: (error: unknown) => void
  readonly #id = randomUUID()
  readonly #children = new Map<number, ProcessRecord>()
  #marks = 0
  #isWritten = false
  #isClosed = false

  constructor({ dataDir, table, watcher, onError = () => undefined }: ProcessRegistryOptions) {
    this.#folder = join(dataDir, 'processes')
    this.#table = table
    this.#watcher = watcher
    this.#onError = onError
  }

  async mark(): Promise<string> {
    // The mark is on disk before a process has it, so that the next gateway finds the process after any crash.
    if (!this.#isWritten) await this.#write()
    this.#watcher?.start()
    return `${this.#id}:${++this.#marks}`
  }

  /** Ends the processes that dead gateways left behind, and no others. To be called before the first `add`. Never throws. */
  async sweep(): Promise<SweepReport> {
    // An earlier gateway may have had our pid, so its file is read synchronously, before ours replaces it.
    const records = readRecords(this.#folder)
    try {
      const { dead, orphans } = await findOrphans(records, this.#table)
      let ended = await endOrphans(orphans, this.#table)
      // Some may have started further processes meanwhile.
      if (ended > 0) ended += await endOrphans((await findOrphans(dead, this.#table)).orphans, this.#table)
      for (const { path } of dead) if (path !== this.#path || !this.#isWritten) rmSync(path, { force: true })
      return { gateways: dead.length, ended }
    } catch (error) {
      this.#onError(error)
      return { gateways: 0, ended: 0 }
    }
  }

  async add({ pid, command }: { readonly pid: number; readonly command: string }): Promise<void> {
    const row = await this.#table.row(pid).catch(() => undefined)
    if (row === undefined) return
    this.#children.set(pid, { pid, group: row.group, start: row.start, command })
    await this.#write()
  }

  remove(pid: number): void {
    if (this.#children.delete(pid)) void this.#write()
  }

  /** All servers are stopped; neither the watcher nor the next gateway has anything to end. */
  async close(): Promise<void> {
    this.#isClosed = true
    rmSync(this.#path, { force: true })
    await this.#watcher?.stop()
  }

  get #path(): string {
    return join(this.#folder, `${process.pid}.jsonl`)
  }

  async #write(): Promise<void> {
    try {
      const gateway = await this.#table.row(process.pid)
      if (this.#isClosed) return
      const lines = [{ gateway: { pid: process.pid, start: gateway?.start, id: this.#id } }, ...this.#children.values()]
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
      writeFileSync(`${this.#path}.new`, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { mode: 0o600 })
      renameSync(`${this.#path}.new`, this.#path)
      this.#isWritten = true
    } catch (error) {
      this.#onError(error)
    }
  }
}

const TERM_MS = 500
const KILL_MS = 1_000
const POLL_MS = 20

/** Dead gateways and the processes that they left running. */
interface Orphans {
  readonly dead: readonly GatewayRecords[]
  readonly orphans: readonly ProcessRow[]
}

/**
 * Finds the processes of dead gateways. A process counts if it was recorded (pid and start time), is in the group of a
 * recorded one, has the mark of a dead gateway, or descends from any of these. A pid alone proves nothing.
 */
async function findOrphans(records: readonly GatewayRecords[], table: ProcessTable): Promise<Orphans> {
  if (records.length === 0) return { dead: [], orphans: [] }
  const rows = await table.rows()
  const dead = records.filter(({ gateway }) => !isAlive(gateway, rows))
  const starts = new Map(dead.flatMap(({ children }) => children.map(({ pid, start }) => [pid, start] as const)))
  const ids = new Set(dead.map(({ gateway }) => gateway.id))
  const spared = ourselves(rows)
  const isRecorded = (row: ProcessRow): boolean => starts.get(row.pid) === row.start
  const isInRecordedGroup = ({ group }: ProcessRow): boolean => {
    const leader = rows.get(group)
    return leader !== undefined && isRecorded(leader)
  }
  const found = new Map<number, ProcessRow>()
  for (const row of dead.length === 0 ? [] : rows.values()) {
    if (spared.has(row.pid)) continue
    const mark = table.variable(row.pid, MARK_VARIABLE)?.split(':')[0]
    const isMarked = mark !== undefined && ids.has(mark)
    if (isMarked || isRecorded(row) || isInRecordedGroup(row)) found.set(row.pid, row)
  }
  addDescendants(found, rows)
  return { dead, orphans: [...found.values()] }
}

/** Sends SIGTERM, then SIGKILL. @returns how many processes ended */
async function endOrphans(orphans: readonly ProcessRow[], table: ProcessTable): Promise<number> {
  let left = orphans
  for (const [signal, forMs] of [
    ['SIGTERM', TERM_MS],
    ['SIGKILL', KILL_MS],
  ] as const) {
    await signalAll(left, signal, table)
    const deadline = performance.now() + forMs
    while ((left = await stillRunning(left, table)).length > 0 && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
  }
  return orphans.length - left.length
}

function isAlive({ pid, start }: GatewayRecords['gateway'], rows: ReadonlyMap<number, ProcessRow>): boolean {
  const row = rows.get(pid)
  return row !== undefined && (start === undefined || row.start === start)
}

/** This process and its ancestors: a gateway can be started from a shell that an earlier gateway started. */
function ourselves(rows: ReadonlyMap<number, ProcessRow>): ReadonlySet<number> {
  const spared = new Set<number>()
  for (let pid = process.pid; pid > 0 && !spared.has(pid); pid = rows.get(pid)?.parent ?? 0) spared.add(pid)
  return spared
}

/** A recorded server, without its arguments and environment. */
interface ProcessRecord {
  readonly pid: number
  readonly group: number
  readonly start: string
  readonly command: string
}

/** The records of one gateway. */
interface GatewayRecords {
  readonly path: string
  /** Without a start time if the file has none. */
  readonly gateway: { readonly pid: number; readonly start?: string; readonly id?: string }
  readonly children: readonly ProcessRecord[]
}

const FILE = /^(\d+)\.jsonl$/

/** Reads the files of all gateways; invalid lines are skipped. */
function readRecords(folder: string): GatewayRecords[] {
  return namesIn(folder)
    .filter((name) => FILE.test(name))
    .map((name) => readFile(join(folder, name)))
}

function readFile(path: string): GatewayRecords {
  const lines = textOf(path).split('\n').map(parseJson)
  const named = { pid: Number(FILE.exec(basename(path))?.[1]) }
  const gateway = lines.map((line) => (isRecord(line) ? line['gateway'] : undefined)).find(isGateway)
  return { path, gateway: gateway ?? named, children: lines.filter(isProcessRecord) }
}

function isGateway(value: unknown): value is { pid: number; start: string; id: string } {
  if (!isRecord(value)) return false
  return isPid(value['pid']) && typeof value['start'] === 'string' && typeof value['id'] === 'string'
}

function isProcessRecord(value: unknown): value is ProcessRecord {
  return isRecord(value) && isPid(value['pid']) && isPid(value['group']) && typeof value['start'] === 'string'
}

const isPid = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 1

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
