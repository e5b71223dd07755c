import { AdminAccess } from './admin/admin-access.ts'
import type { AdminParts, LiveParts } from './admin/admin-parts.ts'
import { AdminSessions } from './admin/admin-sessions.ts'
import type { Store } from './admin/store.ts'
import type { ModelSource } from './access/model.ts'
import type { GatewayConfig } from './config/gateway-config.ts'
import { type DeclaredConfig, declaredAs } from './config/parse-config.ts'
import { AdminEntry } from './downstream/admin-entry.ts'
import type { Logger } from './telemetry/logger.ts'

/** What the admin API of a gateway is made of. */
export interface AdminAssembly {
  readonly config: GatewayConfig
  readonly store: Store
  readonly models: ModelSource
  readonly declared?: () => DeclaredConfig
  readonly localHash?: string
  readonly live: LiveParts
  readonly logger: Logger
  readonly version: string
}

/** The way to the admin API. The API itself is loaded with the first request: a gateway at rest does without. */
export function assembleAdmin(parts: AdminAssembly): AdminEntry {
  const { store, models, declared, localHash, live, logger, version, config } = parts
  const now = Date.now
  const tokens = () => store.current().tokens
  const sessions = new AdminSessions({ tokens, now })
  const access = new AdminAccess({
    tokens,
    sessions,
    now,
    ...(localHash !== undefined && { localHash }),
    isClientToken: (hash) => models.current().tokens.has(hash),
    onUse: (tokenId, at) => store.noteTokenUse(tokenId, at),
  })
  const nothing = declaredAs({})
  const adminParts: AdminParts = {
    ...{ store, models, live, sessions, version, now, log: logger },
    declared: declared ?? (() => nothing),
    startedAt: now(),
    auditLimits: config.audit,
  }
  const load = async () => (await import('./admin/admin-api.ts')).createAdminApi(adminParts)
  return new AdminEntry({
    access,
    signInCode: () => sessions.createCode().code,
    load,
    log: logger,
    onTokensChanged: (listener) => store.onChange(listener),
    now: () => performance.now(),
  })
}
