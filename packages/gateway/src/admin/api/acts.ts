import type { AdminRoute, AdminRouteId } from '@tooldex/contract/admin'
import { cleanText } from '@tooldex/http-kit/clean-text'
import { newRequestId } from '../../clients/mcp/caller.ts'
import { GatewayError } from '../../errors.ts'
import type { AuditedChange } from '../../model/audit.ts'
import { Stopwatch } from '../../stopwatch.ts'
import { type AdminCaller, requireRole } from '../access/admin-caller.ts'
import type { AdminContext } from '../routes/admin-context.ts'
import { ADMIN_ENDPOINT } from '../routes/endpoints.ts'

/** Operations that change nothing, although they are sent like changes. Searches, calls and approvals have entries of their own. */
const READING: ReadonlySet<AdminRouteId> = new Set([
  ...(['previewProject', 'previewServers', 'searchTools', 'callTool', 'answerCall', 'askProject'] as const),
  ...(['approveReviewed', 'blockReviewed', 'previewClient'] as const),
])
/** Entries of an import beyond this number are left out of its audit entry. */
const MOST_CHANGES = 200
const LONGEST_TARGET = 200

/** A request that may be an administrative act. */
interface Act {
  readonly id: AdminRouteId
  readonly route: AdminRoute
  readonly caller: AdminCaller | undefined
  readonly request: Request
  readonly target: string
  readonly isDryRun: boolean
}

/** Runs a request; if it is an administrative act, records it once, with what it changed and how it ended. */
export async function audited<Result>(act: Act, context: AdminContext, run: () => Promise<Result>): Promise<Result> {
  const { id, route, caller } = act
  const isAct = route.method !== 'GET' && route.access !== 'open' && !READING.has(id) && !act.isDryRun
  if (!isAct || caller === undefined) return run()
  const watch = new Stopwatch(context.parts.now)
  const changes: AuditedChange[] = []
  const record = (outcome: string): void =>
    recordAct({ ...act, caller }, { outcome, watch, changes: changes.slice(0, MOST_CHANGES) }, context)
  try {
    const result = await context.administration.noting(changes, run)
    record('ok')
    return result
  } catch (error) {
    record(codeOf(error))
    throw error
  }
}

/** An act of a known caller. */
interface KnownAct extends Pick<Act, 'id' | 'request' | 'target'> {
  readonly caller: AdminCaller
}

/**
 * Refuses a request that needs another role, and records every such request: also one that would only read.
 * @throws GatewayError ROLE_REQUIRED
 */
export function refuseRole(act: KnownAct, context: AdminContext): void {
  try {
    requireRole(act.caller, act.id)
  } catch (error) {
    recordAct(act, { outcome: codeOf(error), watch: new Stopwatch(context.parts.now), changes: [] }, context)
    throw error
  }
}

interface ActResult {
  readonly outcome: string
  readonly watch: Stopwatch
  readonly changes: readonly AuditedChange[]
}

function recordAct(
  { id, caller, request, target }: KnownAct,
  { outcome, watch, changes }: ActResult,
  context: AdminContext,
): void {
  context.parts.audit.record({
    kind: 'change',
    at: watch.startedAt,
    requestId: newRequestId(),
    tokenId: caller.tokenId,
    projectId: '',
    endpointId: ADMIN_ENDPOINT,
    ...context.auditedAs(caller, request),
    durationMs: watch.ms,
    outcome,
    action: id,
    target: cleanText(target, LONGEST_TARGET),
    role: caller.role,
    changes,
  })
}

/** The entry that a request names: in its path, else in its body. */
export function targetOf(params: unknown, body: unknown): string {
  const named = Object.values((params ?? {}) as Readonly<Record<string, unknown>>)
  const { id, name } = (body ?? {}) as { readonly id?: unknown; readonly name?: unknown }
  const texts = named.length > 0 ? named : [id ?? name]
  return texts.filter((text) => typeof text === 'string').join(' ')
}

function codeOf(error: unknown): string {
  return error instanceof GatewayError ? error.code : 'INTERNAL'
}
