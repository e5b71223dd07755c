import type { AdminRoute, AdminRouteId } from '@tooldex/contract/admin'
import type { AuditedChange } from '../../model/audit.ts'
import { Stopwatch } from '../../stopwatch.ts'
import { type AdminCaller, requireRole } from '../access/admin-caller.ts'
import { type AdminContext, type KnownAct, outcomeOf } from '../routes/admin-context.ts'

/** Operations that change nothing, although they are sent like changes. Searches, calls and approvals have entries of their own. */
const READING: ReadonlySet<AdminRouteId> = new Set([
  ...(['previewProject', 'previewServers', 'searchTools', 'callTool', 'answerCall', 'askProject'] as const),
  ...(['approveReviewed', 'blockReviewed', 'previewClient'] as const),
])
/** Entries of an import beyond this number are left out of its audit entry. */
const MOST_CHANGES = 200

/** A request that may be an administrative act. */
interface Act {
  readonly id: AdminRouteId
  readonly route: AdminRoute
  readonly caller: AdminCaller | undefined
  readonly request: Request
  readonly target: string
  readonly isDryRun: boolean
  /** It changes nothing, but secrets leave the gateway. */
  readonly readsSecrets: boolean
}

/** Runs a request; if it is an administrative act, records it once, with what it changed and how it ended. */
export async function audited<Result>(act: Act, context: AdminContext, run: () => Promise<Result>): Promise<Result> {
  const { id, route, caller } = act
  const isChange = route.method !== 'GET' && route.access !== 'open' && !READING.has(id) && !act.isDryRun
  if ((!isChange && !act.readsSecrets) || caller === undefined) return run()
  const watch = new Stopwatch(context.parts.now)
  const changes: AuditedChange[] = []
  const record = (outcome: string): void =>
    context.recordAct({ ...act, caller }, { outcome, watch, changes: changes.slice(0, MOST_CHANGES) })
  try {
    const result = await context.administration.noting(changes, run)
    record('ok')
    return result
  } catch (error) {
    record(outcomeOf(error))
    throw error
  }
}

/**
 * Refuses a request that needs another role, and records every such request: also one that would only read.
 * @throws GatewayError ROLE_REQUIRED
 */
export function refuseRole(act: KnownAct, context: AdminContext): void {
  try {
    requireRole(act.caller, act.id)
  } catch (error) {
    context.recordAct(act, { outcome: outcomeOf(error), watch: new Stopwatch(context.parts.now), changes: [] })
    throw error
  }
}

/** The entry that a request names: in its path, else in its body. */
export function targetOf(params: unknown, body: unknown): string {
  const named = Object.values((params ?? {}) as Readonly<Record<string, unknown>>)
  const { id, name } = (body ?? {}) as { readonly id?: unknown; readonly name?: unknown }
  const texts = named.length > 0 ? named : [id ?? name]
  return texts.filter((text) => typeof text === 'string').join(' ')
}
