import { readdirSync, readFileSync } from 'node:fs'

/** Whether a process runs and is no zombie. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  return stateOf(pid) !== 'Z'
}

/** Which of them run. */
export function running(pids: readonly number[]): readonly number[] {
  return pids.filter(isRunning)
}

/** The processes that this one has started, directly. Empty where the system does not report them. */
export function childrenOf(pid: number): readonly number[] {
  return namesIn('/proc')
    .map(Number)
    .filter((each) => Number.isInteger(each) && parentOf(each) === pid)
}

/** How many files a process has open. 0 where the system does not report it. */
export function openFiles(pid: number): number {
  return namesIn(`/proc/${pid}/fd`).length
}

/** How much memory a process has, in megabytes. 0 where the system does not report it. */
export function residentMb(pid: number): number {
  try {
    const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return Number(kilobytes ?? 0) / 1_024
  } catch {
    return 0
  }
}

function stateOf(pid: number): string | undefined {
  return statOf(pid)[0]
}

function parentOf(pid: number): number {
  return Number(statOf(pid)[1])
}

/** The fields after the command, which may contain anything. */
function statOf(pid: number): readonly string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
