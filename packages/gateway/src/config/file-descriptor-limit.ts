import { readFileSync } from 'node:fs'

/** Kept for servers, the database and what is loaded late. */
const RESERVED = 512

/** How many connections may be open at a time, of those that were wished for: the system's files have to do for all else, too. */
export function connectionsWithin(wished: number, openFiles = openFilesLimit()): number {
  if (openFiles === undefined) return wished
  return Math.max(1, Math.min(wished, openFiles - Math.min(RESERVED, Math.ceil(openFiles / 2))))
}

/** How many files, connections among them, this process may have open; undefined where the system does not tell. */
export function openFilesLimit(limitsFile = '/proc/self/limits'): number | undefined {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync(limitsFile, 'utf8'))?.[1]
    return limit === undefined ? undefined : Number(limit)
  } catch {
    return undefined
  }
}
