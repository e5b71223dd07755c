import type { AuditEntry } from '../../model/audit.ts'

/** A call, with overrides. */
export function callOf(entry: Partial<AuditEntry & { serverId: string; toolKey: string }> = {}): AuditEntry {
  return {
    ...{ kind: 'call', at: 1, requestId: 'r', tokenId: 't', projectId: 'p', endpointId: 'e', durationMs: 1.5 },
    ...{ outcome: 'ok', serverId: 's', toolKey: 's:t', requestBytes: 10, resultBytes: 20 },
    ...entry,
  } as AuditEntry
}

/** A search, with overrides. */
export function searchOf(entry: Partial<AuditEntry> = {}): AuditEntry {
  return {
    ...{ kind: 'search', at: 1, requestId: 'r', tokenId: 't', projectId: 'p', endpointId: 'e', durationMs: 0 },
    ...{ outcome: 'ok', queryCount: 1, resultKeys: ['s:t'], answeredBy: 'bm25' },
    ...entry,
  } as AuditEntry
}
