import { auditLimitsOf } from '../../admin/routes/settings.ts'
import { newRequestId } from '../../clients/mcp/caller.ts'
import type { GatewayConfig } from '../../config/gateway-config.ts'
import type { AuditBacklog, AuditedChange, AuditEntry, AuditLog } from '../../model/audit.ts'
import { LOCAL_TOKEN_ID } from '../../model/principal.ts'
import type { Store } from '../../model/store.ts'
import type { Logger } from '../../telemetry/logger.ts'
import type { CommandContext } from './context.ts'

const DAY_MS = 24 * 60 * 60 * 1_000

/** The audit log is in the database, unless the configuration names a file. */
export async function openAuditLog(
  { audit }: GatewayConfig,
  store: Store,
  logger: Logger,
): Promise<AuditLog & { stop(): Promise<void>; backlog(): AuditBacklog }> {
  const onProblem = (err: unknown): void =>
    logger.error({ err }, 'cannot write audit entries; they stay in memory until the next attempt')
  if (audit.file !== undefined) {
    const { JsonlAuditLog } = await import('../../audit/jsonl-audit-log.ts')
    return new JsonlAuditLog({ path: audit.file, onProblem })
  }
  const { StoreAuditLog } = await import('../../audit/store-audit-log.ts')
  return new StoreAuditLog({
    repository: store.audit,
    // Settings of the admin API override the file.
    keepMs: () => auditLimitsOf(store.current(), audit).keepDays * DAY_MS,
    keepQueriesMs: audit.keepQueryDays * DAY_MS,
    maxEntries: () => auditLimitsOf(store.current(), audit).maxEntries,
    onProblem,
    onLost: (lost, reason) => logger.error({ lost, reason }, 'audit entries were lost'),
  })
}

/** The entry of an administrative act that a command makes without the admin API. */
export function commandAct(
  { now, version }: Pick<CommandContext, 'now' | 'version'>,
  action: string,
  changes: readonly AuditedChange[] = [],
): AuditEntry {
  return {
    ...{ kind: 'change', at: now(), requestId: newRequestId(), tokenId: LOCAL_TOKEN_ID, projectId: '', endpointId: '' },
    ...{ transport: 'command-line', clientName: 'tooldex', clientVersion: version },
    ...{ durationMs: 0, outcome: 'ok', action, target: '', role: 'administrator', changes },
  }
}
