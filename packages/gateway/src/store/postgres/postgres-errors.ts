import { CALLER_ERROR, CLOSED, type SqlFailure } from '../sql-database.ts'

const AWAY: SqlFailure = {
  kind: 'transient',
  reason: 'PostgreSQL does not answer',
  remedy: 'Check that it runs and can be reached; the gateway connects again by itself.',
}

const FULL: SqlFailure = {
  kind: 'permanent',
  reason: 'the disk of PostgreSQL is full',
  remedy: 'Make room; nothing else is needed.',
}

const READ_ONLY: SqlFailure = {
  kind: 'permanent',
  reason: 'PostgreSQL takes no writes there',
  remedy: 'Use the address of the primary.',
}

const REFUSED: SqlFailure = {
  kind: 'permanent',
  reason: 'PostgreSQL does not let this user in',
  remedy: 'Check user, password and database name in its address.',
}

const DAMAGED: SqlFailure = { kind: 'corrupt', reason: 'PostgreSQL reports damaged data' }

/** By SQLSTATE, or by its class. */
const BY_STATE: Readonly<Record<string, SqlFailure>> = {
  '53100': FULL,
  '25006': READ_ONLY,
  '28000': REFUSED,
  '28P01': REFUSED,
  '3D000': REFUSED,
  '42501': REFUSED,
  '57014': AWAY,
  XX001: DAMAGED,
  XX002: DAMAGED,
  '08': AWAY,
  '40': AWAY,
  '53': AWAY,
  '57': AWAY,
  '55': AWAY,
}

/** What the client library says when a connection cannot be made, or ends in the middle. It has no code for these. */
const LOST = /connection terminated|connection ended|timeout|not queryable/i

/** What an error of PostgreSQL, or of the way to it, means. */
export function classifyPostgresError(error: unknown): SqlFailure {
  if (!(error instanceof Error)) return CALLER_ERROR
  const { code } = error as NodeJS.ErrnoException
  if (error instanceof AggregateError || error.name === 'AggregateError') return AWAY
  if (error.message.includes('after calling end on the pool')) return CLOSED
  if (typeof code !== 'string') return LOST.test(error.message) ? AWAY : CALLER_ERROR
  if (/^(?:ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EHOST|ENET|EAI_|ENOENT)/.test(code)) return AWAY
  const isState = /^[0-9A-Z]{5}$/.test(code) && 'severity' in error
  return isState ? (BY_STATE[code] ?? BY_STATE[code.slice(0, 2)] ?? CALLER_ERROR) : CALLER_ERROR
}
