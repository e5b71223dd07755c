import { CALLER_ERROR, CLOSED, type SqlFailure } from '../sql-database.ts'
import { ThreadEnded, ThreadFailed } from './sqlite-background.ts'

const FAILED: SqlFailure = { kind: 'transient', reason: 'the thread that works for it failed', remedy: 'Try again.' }

const BY_RESULT_CODE: Readonly<Record<number, SqlFailure>> = {
  3: {
    kind: 'permanent',
    reason: 'it may not be written',
    remedy: 'Give the user of the gateway the right to write it.',
  },
  5: {
    kind: 'transient',
    reason: 'another program holds the database',
    remedy: 'Try again; if it lasts, end the program that keeps the file open.',
  },
  6: { kind: 'transient', reason: 'the database is in use', remedy: 'Try again.' },
  7: { kind: 'permanent', reason: 'there is not enough memory', remedy: 'Try again later.' },
  8: {
    kind: 'permanent',
    reason: 'the database may only be read',
    remedy: 'Give the user of the gateway the right to write the file and its folder.',
  },
  10: {
    kind: 'permanent',
    reason: 'the disk reports an error',
    remedy: 'Check the disk and the space on it, then try again.',
  },
  11: { kind: 'corrupt', reason: 'the database is damaged' },
  13: { kind: 'permanent', reason: 'the disk is full', remedy: 'Make room; nothing else is needed.' },
  14: {
    kind: 'permanent',
    reason: 'the database cannot be opened',
    remedy: 'Check that the file and its folder can be read and written.',
  },
  15: { kind: 'transient', reason: 'another program recovers the database', remedy: 'Try again.' },
  26: { kind: 'corrupt', reason: 'the file is not a database' },
}

/** What an error of SQLite means. */
export function classifySqliteError(error: unknown): SqlFailure {
  if (error instanceof ThreadEnded) return CLOSED
  if (error instanceof ThreadFailed) return FAILED
  const code = resultCode(error)
  return (code === undefined ? undefined : BY_RESULT_CODE[code & 0xff]) ?? CALLER_ERROR
}

/** SQLite's number for what happened; the low byte is the kind. */
function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || (error as NodeJS.ErrnoException).code !== 'ERR_SQLITE_ERROR') return undefined
  return (error as Error & { errcode?: number }).errcode
}
