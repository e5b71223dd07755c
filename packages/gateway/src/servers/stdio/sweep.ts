import type { GatewayRecords } from './process-records.ts'
import type { ProcessRow, ProcessTable } from './process-table.ts'
import { addDescendants, MARK_VARIABLE, signalAll, stillRunning } from './process-tree.ts'

const TERM_MS = 500
const KILL_MS = 1_000
const POLL_MS = 20

/** Gateways that run no more, and what they have left running. */
export interface Orphans {
  readonly dead: readonly GatewayRecords[]
  readonly orphans: readonly ProcessRow[]
}

/**
 * Finds what dead gateways had started. A process counts when it is the recorded one (pid and start time), is in the
 * group of such a one, carries the mark of a dead gateway, or descends from any of these. A pid alone proves nothing.
 */
export async function findOrphans(records: readonly GatewayRecords[], table: ProcessTable): Promise<Orphans> {
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

/** Asks them to end, then ends them. @returns how many there were */
export async function endOrphans(orphans: readonly ProcessRow[], table: ProcessTable): Promise<number> {
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

/** This process and its ancestors: somebody may start a gateway from a shell that an earlier gateway had started. */
function ourselves(rows: ReadonlyMap<number, ProcessRow>): ReadonlySet<number> {
  const spared = new Set<number>()
  for (let pid = process.pid; pid > 0 && !spared.has(pid); pid = rows.get(pid)?.parent ?? 0) spared.add(pid)
  return spared
}
