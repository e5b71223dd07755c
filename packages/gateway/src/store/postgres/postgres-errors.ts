import { CALLER_ERROR, CLOSED, type SqlFailure } from '../sql-database.ts'

const UNAVAILABLE: SqlFailure = {
  kind: 'transient',
  reason: 'PostgreSQL does not answer',
  remedy: 'Check that PostgreSQL runs and is reachable. A gateway that runs reconnects by itself.',
}

const FULL: SqlFailure = {
  kind: 'permanent',
  reason: 'the disk of PostgreSQL is full',
  remedy: 'Free some space; the gateway then continues by itself.',
}

/** The server cannot be written to. */
export const READ_ONLY: SqlFailure = {
  kind: 'permanent',
  reason: 'PostgreSQL is read-only at this address',
  remedy: 'Use the address of the primary, or list all hosts: postgres://host1,host2/name.',
}

const REFUSED: SqlFailure = {
  kind: 'permanent',
  reason: 'PostgreSQL refuses this user',
  remedy: 'Check the user, password and database name in the address.',
}

const NO_DATABASE: SqlFailure = {
  kind: 'permanent',
  reason: 'PostgreSQL has no database of this name',
  remedy: 'Check the name at the end of the address, or create the database (createdb).',
}

const UNTRUSTED: SqlFailure = {
  kind: 'permanent',
  reason: 'the certificate of PostgreSQL is not signed by an authority that this machine trusts',
  remedy:
    'Add sslrootcert=/path/to/ca.pem to the address, with the certificate of its authority or its own. sslmode=no-verify accepts any certificate and protects against listeners only.',
}

const OTHER_NAME: SqlFailure = {
  kind: 'permanent',
  reason: 'the certificate of PostgreSQL is for another host name',
  remedy: 'Use a name in the address that the certificate has, or have one issued for this name.',
}

const EXPIRED: SqlFailure = {
  kind: 'permanent',
  reason: 'the certificate of PostgreSQL has expired or is not valid yet',
  remedy: 'Renew it, and check the clocks of both machines.',
}

const NO_TLS: SqlFailure = {
  kind: 'permanent',
  reason: 'PostgreSQL does not offer TLS, and the address requires it',
  remedy: 'Set ssl = on in postgresql.conf, or remove sslmode from the address if the network is trusted.',
}

const NEEDS_TLS: SqlFailure = {
  kind: 'permanent',
  reason: 'PostgreSQL accepts this user only over TLS, or not from this machine',
  remedy:
    'Add sslmode=verify-full (and sslrootcert=/path/to/ca.pem) to the address, or allow the machine in pg_hba.conf.',
}

const UNREADABLE_CERTIFICATE: SqlFailure = {
  kind: 'permanent',
  reason: 'a certificate or key file that the address names cannot be read',
  remedy: 'Check the paths in sslrootcert, sslcert and sslkey.',
}

/** Failures of the TLS handshake, by the code of Node. */
const BY_TLS_CODE: Readonly<Record<string, SqlFailure>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  ERR_TLS_CERT_ALTNAME_INVALID: OTHER_NAME,
  CERT_HAS_EXPIRED: EXPIRED,
  CERT_NOT_YET_VALID: EXPIRED,
}

const DAMAGED: SqlFailure = { kind: 'corrupt', reason: 'PostgreSQL reports damaged data' }

/** Failures by SQLSTATE or its class. */
const BY_STATE: Readonly<Record<string, SqlFailure>> = {
  '53100': FULL,
  '25006': READ_ONLY,
  '28000': REFUSED,
  '28P01': REFUSED,
  '3D000': NO_DATABASE,
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
  if (error.message.includes('does not support SSL')) return NO_TLS
  if (code === '28000' && /pg_hba\.conf/.test(error.message)) return NEEDS_TLS
  if (typeof code === 'string' && BY_TLS_CODE[code] !== undefined) return BY_TLS_CODE[code]
  // Connecting opens no other file, but for the socket of PostgreSQL.
  if (code === 'ENOENT' && (error as NodeJS.ErrnoException).syscall === 'open') return UNREADABLE_CERTIFICATE
  if (typeof code !== 'string') return LOST.test(error.message) ? UNAVAILABLE : CALLER_ERROR
  if (/^(?:ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EHOST|ENET|EAI_|ENOENT)/.test(code)) return UNAVAILABLE
  const isState = /^[0-9A-Z]{5}$/.test(code) && 'severity' in error
  return isState ? (BY_STATE[code] ?? BY_STATE[code.slice(0, 2)] ?? CALLER_ERROR) : CALLER_ERROR
}
