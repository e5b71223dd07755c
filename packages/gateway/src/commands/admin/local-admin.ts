import { createAdminApi } from '../../admin/api/admin-api.ts'
import { LOCAL_ADMIN } from '../../admin/access/admin-caller.ts'
import { AdminSessions } from '../../admin/access/admin-sessions.ts'
import type { StoredState } from '../../model/stored-state.ts'
import { trustPolicy } from '../../access/trust-policy.ts'
import { Approvals } from '../../catalog/approvals.ts'
import { storedCatalog } from '../../catalog/stored-catalog.ts'
import { LastGoodFiles, withListFiles } from '../../catalog/last-good-files.ts'
import { dataPaths } from '../../config/data-paths.ts'
import { type LoadedConfig, modelOf } from '../../config/load-config.ts'
import { declaredAs } from '../../config/parse-config.ts'
import { GatewayError } from '../../errors.ts'
import type { GatewayModel } from '../../model/gateway-model.ts'
import { scanReasons } from '../../trust/scan-reasons.ts'
import type { CommandContext } from '../gateway/context.ts'
import { openCommandLogger } from '../gateway/open-gateway.ts'
import { openAuditLog } from '../gateway/open-audit-log.ts'
import { openConfiguredStore } from '../gateway/open-store.ts'
import type { SendRequest } from './admin-client.ts'

/** The admin API in this process, on the store, as the owner of the data folder. */
export async function openLocalAdmin(
  loaded: LoadedConfig,
  context: CommandContext,
): Promise<{ readonly send: SendRequest; readonly close: () => Promise<void> }> {
  const { logger } = openCommandLogger('error', context)
  const store = await openConfiguredStore(loaded.config, context, logger)
  const { now, version } = context
  const files = new LastGoodFiles(dataPaths(loaded.config.dataDir).lastGood)
  const { servers } = usableModel(loaded, store.current())
  const approvals = new Approvals({
    pins: store.pins,
    policy: (serverId) => trustPolicy(usableModel(loaded, store.current()), serverId),
    scan: async (serverId) => scanReasons(usableModel(loaded, store.current()).acceptedFindings?.get(serverId)),
    now,
  })
  // A gateway records; a command only looks.
  const known = await storedCatalog(servers, withListFiles(store.lastGood, files), (serverId, kind, entries) =>
    approvals.review(serverId, kind, entries, { isReadOnly: true }),
  )
  const audit = await openAuditLog(loaded.config, store, logger)
  const api = createAdminApi({
    store,
    audit,
    approvals,
    models: { current: () => usableModel(loaded, store.current()), onChange: () => () => {} },
    declared: () => loaded.declared,
    known,
    sessions: new AdminSessions({
      tokens: () => store.current().tokens,
      key: () => store.signingKey('console sessions'),
      now,
    }),
    version,
    startedAt: now(),
    now,
    auditLimits: loaded.config.audit,
    registries: { sources: loaded.config.registries, folder: dataPaths(loaded.config.dataDir).registry },
    log: logger,
  })
  const close = async (): Promise<void> => {
    await audit.stop()
    await store.close()
  }
  return { send: (request) => api(request, LOCAL_ADMIN), close }
}

/**
 * The model of file and store. Where the two conflict, the model of the file alone, or an empty one, so that commands can
 * still fix the conflict.
 */
function usableModel(loaded: LoadedConfig, state: StoredState): GatewayModel {
  for (const attempt of [() => modelOf(loaded, state), () => modelOf(loaded)]) {
    try {
      return attempt().model
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
    }
  }
  return modelOf({ ...loaded, declared: declaredAs({}) }).model
}
