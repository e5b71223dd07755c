import { hash, randomBytes } from 'node:crypto'
import type { AuditEntry, ChainLink, ChainMark } from '../model/audit.ts'

/** The chain before its first entry. */
export const CHAIN_START: ChainMark = Object.freeze({ seq: 0, hash: '' })

/** Part of every hash, so that a later layout of the content is told apart. */
const LAYOUT = 1

/**
 * The link of an entry that follows another. The texts of queries are covered by a salted digest: they can be removed
 * without breaking the chain, and the digest does not reveal them.
 */
export function linkAfter(previous: ChainMark, entry: AuditEntry): ChainLink {
  const digested = entry.kind === 'search' && entry.queries !== undefined ? digestOf(entry.queries) : {}
  const seq = previous.seq + 1
  return { seq, hash: hashOf(previous.hash, entry, { seq, ...digested }), ...digested }
}

/** Whether the content of an entry fits its hash and that of the previous entry. */
export function isLinked(previousHash: string, entry: AuditEntry, link: ChainLink): boolean {
  return hashOf(previousHash, entry, link) === link.hash
}

/** Whether the texts of a search are those that its digest stands for; also if they were removed. */
export function hasOwnQueries(entry: AuditEntry, { queryDigest, querySalt }: ChainLink): boolean {
  if (entry.kind !== 'search' || entry.queries === undefined) return true
  return querySalt !== undefined && digestWith(querySalt, entry.queries) === queryDigest
}

/** The entry with numbers that every database and JSON returns unchanged. */
export function storable(entry: AuditEntry): AuditEntry {
  const at = Math.trunc(entry.at)
  const durationMs = Number.isFinite(entry.durationMs) ? Math.round(entry.durationMs * 1_000) / 1_000 : 0
  return at === entry.at && durationMs === entry.durationMs ? entry : { ...entry, at, durationMs }
}

function digestOf(queries: readonly string[]): { readonly queryDigest: string; readonly querySalt: string } {
  const querySalt = randomBytes(16).toString('base64url')
  return { queryDigest: digestWith(querySalt, queries), querySalt }
}

const digestWith = (salt: string, queries: readonly string[]): string => sha256(`${salt}\n${JSON.stringify(queries)}`)

function hashOf(previousHash: string, entry: AuditEntry, link: Pick<ChainLink, 'seq' | 'queryDigest'>): string {
  return sha256(`${previousHash}\n${contentOf(entry, link)}`)
}

const sha256 = (text: string): string => hash('sha256', text, 'base64url')

/** Everything that the hash covers, in a fixed order. */
function contentOf(entry: AuditEntry, { seq, queryDigest }: Pick<ChainLink, 'seq' | 'queryDigest'>): string {
  const { at, kind, requestId, tokenId, projectId, endpointId, outcome, durationMs } = entry
  const { transport, clientName, clientVersion } = entry
  return JSON.stringify([
    LAYOUT,
    seq,
    at,
    kind,
    requestId,
    tokenId,
    projectId,
    endpointId,
    transport,
    clientName,
    clientVersion,
    outcome,
    durationMs,
    ...ownOf(entry, queryDigest),
  ])
}

function ownOf(entry: AuditEntry, queryDigest: string | undefined): readonly unknown[] {
  switch (entry.kind) {
    case 'call':
      return [entry.serverId, entry.toolKey, entry.requestBytes, entry.resultBytes]
    case 'search':
      return [
        ...[entry.queryCount, entry.resultKeys, entry.answeredBy, entry.degraded, queryDigest],
        // Entries of earlier releases have none, and their hashes stay valid.
        ...(entry.notices === undefined ? [] : [entry.notices]),
      ]
    case 'change':
      return [
        entry.action,
        entry.target,
        ...entry.changes.map(({ of, id, name, how, fields }) => [of, id, name, how, fields]),
        // Entries of earlier releases have none, and their hashes stay valid.
        ...(entry.role === undefined ? [] : [entry.role]),
      ]
    case 'refusal':
      return [entry.address, entry.count, entry.lastAt]
  }
}
