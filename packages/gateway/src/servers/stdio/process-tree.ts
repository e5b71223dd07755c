import { execFile } from 'node:child_process'
import type { ProcessRow, ProcessTable } from './process-table.ts'

/** The environment variable that marks every process that a gateway started. Its value is `<gateway id>:<number>`. */
export const MARK_VARIABLE = 'TOOLDEX_GATEWAY'

/** The root of a process tree, which leads its own group and session. */
export interface TreeRoot {
  readonly pid: number
  readonly mark: string
  /** As in the process table; nothing older belongs to the tree. */
  readonly startedAt: number | undefined
}

/**
 * All processes of a server: its process group and session, their descendants, and every process with its mark, which
 * remains when a process leaves the group or loses its parent.
 */
async function processesOf(root: TreeRoot, table: ProcessTable): Promise<ProcessRow[]> {
  const rows = await table.rows()
  const found = new Map<number, ProcessRow>()
  for (const row of rows.values()) {
    if (row.startedAt < (root.startedAt ?? 0)) continue
    const isMember = row.group === root.pid || row.session === root.pid
    if (isMember || table.variable(row.pid, MARK_VARIABLE) === root.mark) found.set(row.pid, row)
  }
  addDescendants(found, rows)
  return [...found.values()]
}

/** Completes `found` with all children of its processes, and theirs. */
export function addDescendants(found: Map<number, ProcessRow>, rows: ReadonlyMap<number, ProcessRow>): void {
  const children = Map.groupBy(rows.values(), ({ parent }) => parent)
  const queue = [...found.keys()]
  for (let pid = queue.pop(); pid !== undefined; pid = queue.pop()) {
    for (const child of children.get(pid) ?? []) {
      if (found.has(child.pid)) continue
      found.set(child.pid, child)
      queue.push(child.pid)
    }
  }
}

/** Sends a signal to each process, unless its pid belongs to another process now. */
export async function signalAll(
  rows: readonly ProcessRow[],
  signal: NodeJS.Signals,
  table: ProcessTable,
): Promise<void> {
  for (const { pid } of await stillRunning(rows, table)) signalProcess(pid, signal)
}

/** The processes that still run. */
export async function stillRunning(rows: readonly ProcessRow[], table: ProcessTable): Promise<ProcessRow[]> {
  const now = await Promise.all(rows.map(({ pid }) => table.row(pid)))
  return rows.filter((row, index) => now[index]?.start === row.start)
}

/** Sends a signal to a process, or with a negative number to a group. A missing or foreign process is no error. */
function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // ESRCH or EPERM: there is nothing to end.
  }
}

/** How long each step of a stop may take, in milliseconds. */
export interface StopTimes {
  /** After its input was closed, a server may end by itself. */
  readonly graceMs: number
  /** After SIGTERM it may clean up. */
  readonly termMs: number
  /** After SIGKILL only the system's own delay remains. */
  readonly killMs: number
}

/** Never more than three seconds in all. */
export const DEFAULT_STOP_TIMES: StopTimes = { graceMs: 500, termMs: 1_000, killMs: 1_000 }

/** The process tree to stop. */
interface StopRequest {
  readonly root: TreeRoot
  /** Fulfilled when the root has ended. */
  readonly exited: Promise<unknown>
  readonly hasExited: () => boolean
  readonly table: ProcessTable
  readonly times: StopTimes
  readonly platform: NodeJS.Platform
}

const POLL_MS = 20

/**
 * Ends a server and all its descendants; its input is closed already. Never throws.
 * @returns whether everything is gone
 */
export async function stopTree(request: StopRequest): Promise<boolean> {
  const { times, exited, hasExited } = request
  if (request.platform === 'win32') return await stopOnWindows(request)
  const tree = new Tree(request)
  // Descendants are looked up while their parents run: a process without parent and group could not be found.
  await tree.look()
  if (!hasExited()) await within(times.graceMs, exited)
  await tree.look()
  if (await tree.end('SIGTERM', times.termMs)) return true
  return await tree.end('SIGKILL', times.killMs)
}

class Tree {
  readonly #request: StopRequest
  #known: readonly ProcessRow[] = []

  constructor(request: StopRequest) {
    this.#request = request
  }

  /** Updates the known processes. @returns the new ones */
  async look(): Promise<readonly ProcessRow[]> {
    const { root, table } = this.#request
    const found = await processesOf(root, table).catch(() => [])
    const known = new Map(this.#known.map((row) => [row.pid, row]))
    const added = found.filter(({ pid, start }) => known.get(pid)?.start !== start)
    this.#known = await stillRunning([...this.#known, ...added], table)
    return added
  }

  /** Signals all processes, new ones too, until all have ended or the time is over. */
  async end(signal: NodeJS.Signals, forMs: number): Promise<boolean> {
    const { table, hasExited } = this.#request
    const deadline = performance.now() + forMs
    let targets = this.#known
    for (;;) {
      if (hasExited() && this.#known.length === 0) return true
      await signalAll(this.#signalGroup(signal, targets), signal, table)
      do {
        if (performance.now() > deadline) return false
        await new Promise((resolve) => setTimeout(resolve, POLL_MS))
        this.#known = await stillRunning(this.#known, table)
      } while (!hasExited() || this.#known.length > 0)
      targets = await this.look()
    }
  }

  /** @returns the targets outside of the group; a second signal makes many programs quit without cleaning up */
  #signalGroup(signal: NodeJS.Signals, targets: readonly ProcessRow[]): readonly ProcessRow[] {
    const { root, hasExited } = this.#request
    const isInGroup = ({ group }: ProcessRow): boolean => group === root.pid
    // After the root's end its pid may be reused, unless the group still has a member.
    if (hasExited() && !this.#known.some(isInGroup)) return targets
    signalProcess(-root.pid, signal)
    return targets.filter((row) => !isInGroup(row))
  }
}

/** Windows has no process groups, but a command that ends a tree. */
async function stopOnWindows({ root, exited, hasExited, times }: StopRequest): Promise<boolean> {
  if (!hasExited()) await within(times.graceMs, exited)
  await new Promise<void>((resolve) => {
    execFile('taskkill', ['/pid', String(root.pid), '/T', '/F'], { windowsHide: true }, () => resolve())
  })
  if (!hasExited()) await within(times.killMs, exited)
  return hasExited()
}

/** Waits for a promise, at most so long. */
export async function within(ms: number, promise: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeUp = new Promise((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([promise, timeUp])
  clearTimeout(timer)
}
