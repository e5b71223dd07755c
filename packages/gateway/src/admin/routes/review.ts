import {
  approvalsSchema,
  type ApprovalsExport,
  readWith,
  type ReviewItem,
  type RouteAnswer,
  type RouteQuery,
} from '@tooldex/contract/admin'
import type { ConfigJsonSchema } from '@tooldex/contract'
import { z } from 'zod'
import type { DecidedItem, RecordedChange } from '../../catalog/approvals.ts'
import type { HeldDefinition } from '../../catalog/review-definitions.ts'
import { inSlices, type Steps } from '../../in-slices.ts'
import type { Approved, PinChange } from '../../model/pins.ts'
import { fingerprintOf } from '../../trust/fingerprint.ts'
import { Stopwatch } from '../../stopwatch.ts'
import { diffDefinitions } from '../../trust/word-diff.ts'
import { InvalidRequest } from '../changes/invalid-request.ts'
import { type AdminContext, type Ask, type Handlers, outcomeOf } from './admin-context.ts'

/** Routes about definitions that wait for approval. */
export function reviewHandlers(context: AdminContext) {
  return {
    listReview: ({ query }) => listReview(query, context),
    approveReviewed: (ask) => decide('approveReviewed', ask, context),
    blockReviewed: (ask) => decide('blockReviewed', ask, context),
    exportApprovals: ({ query }) => exportApprovals(query.server, context),
    importApprovals: ({ body, caller }) => importApprovals(body, caller.tokenId, context),
  } satisfies Partial<Handlers>
}

async function listReview(
  { state, server }: RouteQuery<'listReview'>,
  context: AdminContext,
): Promise<RouteAnswer<'listReview'>> {
  if (server !== undefined) context.entries.server(server)
  const isAsked = (serverId: string): boolean => server === undefined || server === serverId
  const held = context.approvals
    .held()
    .filter((each) => isAsked(each.serverId) && (state === 'all' || state === each.state))
  const servers = context.entries.servers().map(({ id }) => id)
  const recorded =
    state === 'recorded' || state === 'all' ? await context.approvals.recorded(servers.filter(isAsked)) : []
  const items = await inSlices(shownItems(held, recorded, context))
  return { items, waiting: context.approvals.waiting }
}

/** One definition in each step: a diff of long texts takes a while. */
function* shownItems(
  held: readonly HeldDefinition[],
  recorded: readonly RecordedChange[],
  context: AdminContext,
): Steps<ReviewItem[]> {
  const items: ReviewItem[] = []
  const named = (server: string) => ({ server, serverName: context.catalogServer(server)?.name ?? server })
  for (const { serverId, kind, name, state, hash, definition, approved, isServed, reasons, since } of held) {
    items.push({
      ...named(serverId),
      ...{ kind, name, state, hash, isServed, since, isNew: approved === undefined },
      reasons: reasons.map((reason) => ({ ...reason })),
      ...(approved !== undefined && { approved: decisionOf(approved.pin) }),
      diff: shownDiff(approved?.definition, definition),
    })
    yield
  }
  for (const { serverId, pin, definition, previous } of recorded) {
    const { kind, name, approved } = pin
    items.push({
      ...named(serverId),
      ...{ kind, name, state: 'recorded', hash: approved.hash, isServed: true, since: approved.at },
      ...{ isNew: previous === undefined, reasons: [] },
      approved: decisionOf(approved),
      diff: shownDiff(previous, definition),
    })
    yield
  }
  return items
}

function shownDiff(...definitions: Parameters<typeof diffDefinitions>): ReviewItem['diff'] {
  return diffDefinitions(...definitions).map(({ field, pieces }) => ({
    field,
    pieces: pieces.map((each) => ({ ...each })),
  }))
}

function decisionOf({ how, by, at }: Approved): NonNullable<ReviewItem['approved']> {
  return { how, at, ...(by !== undefined && { by }) }
}

type Decision = 'approveReviewed' | 'blockReviewed'

/** Carries out decisions, with one audit entry for each. */
async function decide(
  action: Decision,
  { body, caller, request }: Ask<Decision>,
  context: AdminContext,
): Promise<RouteAnswer<Decision>> {
  const { parts, approvals } = context
  const items = body.items.map(({ server, ...item }): DecidedItem => ({ serverId: server, ...item }))
  for (const { serverId } of items) context.entries.server(serverId)
  const watch = new Stopwatch(parts.now)
  const record = (outcome: string): void => {
    for (const { serverId, kind, name } of items) {
      const target = targetOf(serverId, kind, name)
      context.recordAct({ id: action, caller, request, target }, { outcome, watch, changes: [] })
    }
  }
  try {
    await (action === 'approveReviewed'
      ? approvals.approve(items, caller.tokenId)
      : approvals.block(items, caller.tokenId))
  } catch (error) {
    record(outcomeOf(error))
    throw error
  }
  record('ok')
  return { decided: items.length, waiting: approvals.waiting }
}

/** The tool's key, or the kind and name of anything else. */
function targetOf(serverId: string, kind: DecidedItem['kind'], name: string): string {
  if (kind === 'tool') return `${serverId}:${name}`
  return name === '' ? `${serverId} ${kind}` : `${serverId} ${kind} ${name}`
}

async function exportApprovals(server: string | undefined, context: AdminContext): Promise<ApprovalsExport> {
  if (server !== undefined) context.entries.server(server)
  const { pins } = context.parts.store
  const exported: ApprovalsExport['pins'] = []
  for (const serverId of server === undefined ? await pins.servers() : [server]) {
    for (const { pin, definition } of await context.approvals.approved(serverId)) {
      const { kind, name, approved } = pin
      exported.push({ server: serverId, kind, name, hash: approved.hash, definition, approved: decisionOf(approved) })
    }
  }
  return { format: 'tooldex-approvals', version: 1, exportedAt: context.parts.now(), pins: exported }
}

async function importApprovals(
  body: Readonly<Record<string, unknown>>,
  by: string,
  context: AdminContext,
): Promise<RouteAnswer<'importApprovals'>> {
  const { pins } = readApprovals(body)
  const at = context.parts.now()
  const changes = pins.map(({ server, kind, name, hash, definition }): PinChange => {
    const approved: Approved = { hash, how: 'imported', by, at, changes: 0 }
    return { serverId: server, pin: { kind, name, approved }, definition: JSON.stringify(definition) }
  })
  const known = new Set(context.entries.servers().map(({ id }) => id))
  const unknownServers = [...new Set(pins.map(({ server }) => server))].filter((id) => !known.has(id))
  await context.approvals.importPins(changes)
  return { imported: changes.length, unknownServers, waiting: context.approvals.waiting }
}

/** @throws InvalidRequest for anything but an export of this version whose hashes fit its definitions */
function readApprovals(body: Readonly<Record<string, unknown>>): ApprovalsExport {
  const { format, version } = body
  if (format === 'tooldex-approvals' && typeof version === 'number' && version > 1) {
    const message = `is ${version}: the export is of a newer release, and nothing was imported; update this gateway first`
    throw new InvalidRequest([{ path: ['version'], message }])
  }
  const checked = readWith(
    approvalsSchema,
    body,
    () => z.toJSONSchema(approvalsSchema, { io: 'input' }) as ConfigJsonSchema,
  )
  if ('problems' in checked) throw new InvalidRequest(checked.problems)
  const wrong = checked.value.pins.flatMap(({ kind, hash, definition }, at) =>
    fingerprintOf(kind, definition) === hash
      ? []
      : [{ path: ['pins', at, 'hash'], message: 'does not fit the definition' }],
  )
  if (wrong.length > 0) throw new InvalidRequest(wrong)
  return checked.value
}
