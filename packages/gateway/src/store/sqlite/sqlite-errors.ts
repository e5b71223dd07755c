import { CALLER_ERROR, CLOSED, type SqlFailure } from '../sql-database.ts'
import { ThreadEnded, ThreadFailed } from './sqlite-background.ts'

const FAILED: SqlFailure = { kind: 'transient', reason: 'the database thread failed', remedy: 'Try again.' }

const BY_RESULT_CODE: Readonly<Record<number, SqlFailure>> = {
  3: {
    kind: 'permanent',
    reason: 'the gateway has no permission to write the database',
    remedy: 'Give the user of the gateway write permission.',
  },
  5: {
    kind: 'transient',
    reason: 'another program locks the database',
    remedy: 'Try again; if the problem persists, stop the program that has the file open.',
  },
  6: { kind: 'transient', reason: 'the database is in use', remedy: 'Try again.' },
  7: { kind: 'permanent', reason: 'SQLite is out of memory', remedy: 'Try again later.' },
  8: {
    kind: 'permanent',
    reason: 'the database is read-only',
    remedy: 'Give the user of the gateway write permission for the file and its folder.',
  },
  10: {
    kind: 'permanent',
    reason: 'the disk reports an error',
    remedy: 'Check the disk and its free space, then try again.',
  },
  11: { kind: 'corrupt', reason: 'the database is damaged' },
  13: {
    kind: 'permanent',
    reason: 'the disk is full',
    remedy: 'Free some space; the gateway then continues by itself.',
  },
  14: {
    kind: 'permanent',
    reason: 'the database cannot be opened',
    remedy: 'Check that the file and its folder can be read and written.',
  },
  15: { kind: 'transient', reason: 'another program is recovering the database', remedy: 'Try again.' },
  26: { kind: 'corrupt', reason: 'the file is not a database' },
}

/** Classifies an error of SQLite. */
export function classifySqliteError(error: unknown): SqlFailure {
  if (error instanceof ThreadEnded) return CLOSED
  if (error instanceof ThreadFailed) return FAILED
  const code = resultCode(error)
  return (code === undefined ? undefined : BY_RESULT_CODE[code & 0xff]) ?? CALLER_ERROR
}

/** The result code of SQLite; its low byte is the primary code. */
function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || (error as NodeJS.ErrnoException).code !== 'ERR_SQLITE_ERROR') return undefined
  return (error as Error & { errcode?: number }).errcode
}
