import { CALLER_ERROR, CLOSED, type SqlFailure } from '../sql-database.ts'

const UNAVAILABLE: SqlFailure = {
  kind: 'transient',
  reason: 'PostgreSQL does not answer',
  remedy: 'Check that PostgreSQL runs and is reachable; the gateway reconnects by itself.',
}

const FULL: SqlFailure = {
  kind: 'permanent',
  reason: 'the disk of PostgreSQL is full',
  remedy: 'Free some space; the gateway then continues by itself.',
}

const READ_ONLY: SqlFailure = {
  kind: 'permanent',
  reason: 'PostgreSQL is read-only at this address',
  remedy: 'Use the address of the primary.',
}

const REFUSED: SqlFailure = {
  kind: 'permanent',
  reason: 'PostgreSQL refuses this user',
  remedy: 'Check the user, password and database name in the address.',
}

const DAMAGED: SqlFailure = { kind: 'corrupt', reason: 'PostgreSQL reports damaged data' }

/** Failures by SQLSTATE or its class. */
const BY_STATE: Readonly<Record<string, SqlFailure>> = {
  '53100': FULL,
  '25006': READ_ONLY,
  '28000': REFUSED,
  '28P01': REFUSED,
  '3D000': REFUSED,
  '42501': REFUSED,
  '57014': UNAVAILABLE,
  '25P03': UNAVAILABLE,
  XX001: DAMAGED,
  XX002: DAMAGED,
  '08': UNAVAILABLE,
  '40': UNAVAILABLE,
  '53': UNAVAILABLE,
  '57': UNAVAILABLE,
  '55': UNAVAILABLE,
}

/** Messages of the client library for failed and lost connections, which have no code. */
const LOST = /connection terminated|connection ended|timeout|not queryable/i

/** Classifies an error of PostgreSQL or of the connection. */
export function classifyPostgresError(error: unknown): SqlFailure {
  if (!(error instanceof Error)) return CALLER_ERROR
  const { code } = error as NodeJS.ErrnoException
  if (error instanceof AggregateError || error.name === 'AggregateError') return UNAVAILABLE
  if (error.message.includes('after calling end on the pool')) return CLOSED
  if (typeof code !== 'string') return LOST.test(error.message) ? UNAVAILABLE : CALLER_ERROR
  if (/^(?:ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EHOST|ENET|EAI_|ENOENT)/.test(code)) return UNAVAILABLE
  const isState = /^[0-9A-Z]{5}$/.test(code) && 'severity' in error
  return isState ? (BY_STATE[code] ?? BY_STATE[code.slice(0, 2)] ?? CALLER_ERROR) : CALLER_ERROR
}
