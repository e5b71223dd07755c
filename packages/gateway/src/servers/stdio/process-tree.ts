import type { ProcessRow, ProcessTable } from './process-table.ts'

/** The environment variable that marks everything a gateway has started. Its value is `<gateway id>:<number>`. */
export const MARK_VARIABLE = 'TOOLDEX_GATEWAY'

/** A process that leads its own group and session, and whose whole tree is meant. */
export interface TreeRoot {
  readonly pid: number
  readonly mark: string
  /** As in the process table; nothing older belongs to the tree. */
  readonly startedAt: number | undefined
}

/**
 * All that a server has started: its process group and session, everything that descends from these, and everything
 * that carries its mark, which survives leaving the group and losing the parent.
 */
export async function processesOf(root: TreeRoot, table: ProcessTable): Promise<ProcessRow[]> {
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

/** Sends a signal to each process that is still the one that was seen. */
export async function signalAll(
  rows: readonly ProcessRow[],
  signal: NodeJS.Signals,
  table: ProcessTable,
): Promise<void> {
  for (const { pid } of await stillRunning(rows, table)) signalProcess(pid, signal)
}

/** Which of these still run. */
export async function stillRunning(rows: readonly ProcessRow[], table: ProcessTable): Promise<ProcessRow[]> {
  const now = await Promise.all(rows.map(({ pid }) => table.row(pid)))
  return rows.filter((row, index) => now[index]?.start === row.start)
}

/** Sends a signal to a process, or with a negative number to a group. That it is gone, or not ours, is no error. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // ESRCH or EPERM: nothing that could be ended
  }
}
