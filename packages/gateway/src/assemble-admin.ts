import { AdminAccess } from './admin/access/admin-access.ts'
import type { AdminParts, LiveParts } from './admin/routes/admin-context.ts'
import { AdminSessions } from './admin/access/admin-sessions.ts'
import { CostLedger } from './admin/routes/cost-ledger.ts'
import { auditLimitsOf } from './admin/routes/settings.ts'
import type { Store } from './model/store.ts'
import type { ModelSource } from './model/gateway-model.ts'
import type { GatewayConfig } from './config/gateway-config.ts'
import { type DeclaredConfig, declaredAs } from './config/parse-config.ts'
import { AdminEntry } from './admin/api/admin-entry.ts'
import type { ContextCosts } from './exposure/context-costs.ts'
import type { Logger } from './telemetry/logger.ts'

const DAY_MS = 24 * 60 * 60 * 1_000

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
  const load = async () => (await import('./admin/api/admin-api.ts')).createAdminApi(adminParts)
  return new AdminEntry({
    access,
    signInCode: () => sessions.createCode().code,
    load,
    log: logger,
    onTokensChanged: (listener) => store.onChange(listener),
    now: () => performance.now(),
  })
}

/** What keeps the costs that were counted, for as long as audit entries. */
export function assembleCosts({
  store,
  config,
  logger,
  counted,
}: Pick<AdminAssembly, 'store' | 'config' | 'logger'> & { readonly counted: ContextCosts }): CostLedger {
  return new CostLedger({
    counted,
    repository: store.costs,
    now: Date.now,
    keepMs: () => auditLimitsOf(store.current(), config.audit).keepDays * DAY_MS,
    onProblem: (err) => logger.warn({ err }, 'what clients loaded cannot be written; it is kept until it can'),
  })
}
