import { readFileSync } from 'node:fs'

/** File descriptors reserved for servers, the database and lazily loaded modules. */
const RESERVED = 512

/** The number of connections that the file descriptor limit allows, up to the wanted number. */
export function connectionsWithin(wanted: number, descriptors = fileDescriptorLimit()): number {
  if (descriptors === undefined) return wanted
  return Math.max(1, Math.min(wanted, descriptors - Math.min(RESERVED, Math.ceil(descriptors / 2))))
}

/** The file descriptor limit of this process; undefined if the system has no `/proc`. */
export function fileDescriptorLimit(limitsFile = '/proc/self/limits'): number | undefined {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync(limitsFile, 'utf8'))?.[1]
    return limit === undefined ? undefined : Number(limit)
  } catch {
    return undefined
  }
}
