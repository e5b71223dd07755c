import { ASKERS, CLOSED, type Trouble } from '../trouble.ts'
import { ThreadEnded } from './sqlite-background.ts'

const BY_RESULT_CODE: Readonly<Record<number, Trouble>> = {
  3: {
    kind: 'lasting',
    reason: 'it may not be written',
    remedy: 'Give the user of the gateway the right to write it.',
  },
  5: {
    kind: 'passing',
    reason: 'another program holds the database',
    remedy: 'Try again; if it lasts, end the program that keeps the file open.',
  },
  6: { kind: 'passing', reason: 'the database is in use', remedy: 'Try again.' },
  7: { kind: 'lasting', reason: 'there is not enough memory', remedy: 'Try again later.' },
  8: {
    kind: 'lasting',
    reason: 'the database may only be read',
    remedy: 'Give the user of the gateway the right to write the file and its folder.',
  },
  10: {
    kind: 'lasting',
    reason: 'the disk reports an error',
    remedy: 'Check the disk and the space on it, then try again.',
  },
  11: { kind: 'corrupt', reason: 'the database is damaged' },
  13: { kind: 'lasting', reason: 'the disk is full', remedy: 'Make room; nothing else is needed.' },
  14: {
    kind: 'lasting',
    reason: 'the database cannot be opened',
    remedy: 'Check that the file and its folder can be read and written.',
  },
  15: { kind: 'passing', reason: 'another program recovers the database', remedy: 'Try again.' },
  26: { kind: 'corrupt', reason: 'the file is not a database' },
}

/** What an error of SQLite means. */
export function sqliteTrouble(error: unknown): Trouble {
  if (error instanceof ThreadEnded) return CLOSED
  const code = resultCode(error)
  return (code === undefined ? undefined : BY_RESULT_CODE[code & 0xff]) ?? ASKERS
}

/** SQLite's number for what happened; the low byte is the kind. */
function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || (error as NodeJS.ErrnoException).code !== 'ERR_SQLITE_ERROR') return undefined
  return (error as Error & { errcode?: number }).errcode
}
