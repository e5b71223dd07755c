import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** That a gateway runs: left in its data folder, which only its owner may read. */
export interface RunRecord {
  readonly pid: number
  /** Without a path: `http://127.0.0.1:7420`. */
  readonly url: string
  readonly version: string
  readonly startedAt: number
  /** Which database it uses, as `databaseMark` says it; older records do not tell. */
  readonly database?: string
  /** A token that is good while the gateway runs, for the owner's own commands. */
  readonly token: string
}

/** Tells databases apart without telling where they are: the address may have a password in it. */
export function databaseMark(url: string | undefined): string {
  return url === undefined ? 'sqlite' : createHash('sha256').update(url).digest('hex').slice(0, 16)
}

/** Writes a file that only its owner may read, whole or not at all. */
export function writePrivateJson(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const temporary = `${path}.${process.pid}.tmp`
  writeFileSync(temporary, JSON.stringify(value), { mode: 0o600 })
  renameSync(temporary, path)
}

/** What a file has, or nothing if it is missing or damaged. */
export function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

/** The record of a gateway whose process is there. */
export function readRunRecord(path: string): RunRecord | undefined {
  const record = readJson(path)
  return isRunRecord(record) && isAlive(record.pid) ? record : undefined
}

/** Removes the record, unless another gateway has written its own. */
export function removeRunRecord(path: string, pid: number): void {
  const record = readJson(path)
  if (!isRunRecord(record) || record.pid === pid) rmSync(path, { force: true })
}

function isRunRecord(value: unknown): value is RunRecord {
  if (typeof value !== 'object' || value === null) return false
  const { pid, url, token } = value as Partial<Record<keyof RunRecord, unknown>>
  return Number.isInteger(pid) && typeof url === 'string' && typeof token === 'string'
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
