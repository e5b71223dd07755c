import type { ServerConfig } from '@tooldex/contract'
import type { ServerTest } from '@tooldex/contract/admin'
import { resolveServers } from '../../../config/resolve-servers.ts'
import { serverDefinition } from '../../../config/to-model.ts'
import { GatewayError, titleOf } from '../../../errors.ts'
import type { ServerDefinition } from '../../../model/server.ts'
import type { StoredServer } from '../../../model/stored-state.ts'
import type { AdminCaller } from '../../access/admin-caller.ts'
import { Stopwatch } from '../../../stopwatch.ts'
import { refuseUnprovenPrograms } from '../../access/fresh-proof.ts'
import { changedServer, checkedServer } from '../../changes/server-changes.ts'
import { unmaskServer } from '../../changes/unmask-server.ts'
import type { AdminContext, Handlers } from '../admin-context.ts'

/** A program that is installed by its first start may need most of it. */
const MOST_MS = 60_000
const SHOWN_LINES = 20
const LONGEST_TEXT = 200

/** Routes that try out the settings of a server before they are saved. */
export function serverTestHandlers(context: AdminContext) {
  return {
    testNewServer: ({ body, caller, request }) => {
      const { id, ...config } = body
      const checked = checkedServer(id, unmaskServer(config, undefined))
      return testServer({ id, config: checked, before: [], caller, signal: request.signal }, context)
    },
    testServer: ({ params, body, caller, request }) => {
      const server = context.entries.server(params.server)
      context.entries.refuseFileManaged('server', server)
      const { id } = server
      const checked = checkedServer(id, changedServer(server.config, body))
      const before = context.entries.state.servers.filter((stored) => stored.id === id)
      return testServer({ id, config: checked, before, caller, signal: request.signal }, context)
    },
  } satisfies Partial<Handlers>
}

interface TestAsk {
  readonly id: string
  readonly config: ServerConfig
  /** The server as it is stored. */
  readonly before: readonly StoredServer[]
  readonly caller: AdminCaller
  /** The caller has gone. */
  readonly signal: AbortSignal
}

/** Starts a server once and answers what came of it. @throws GatewayError FRESH_PROOF_REQUIRED, NOT_RUNNING, SERVER_BUSY */
export async function testServer(
  { id, config, before, caller, signal }: TestAsk,
  context: AdminContext,
): Promise<ServerTest> {
  const watch = new Stopwatch(context.parts.now)
  const { startedAt } = watch
  const stored = { ...(before[0] ?? { id, createdAt: startedAt, updatedAt: startedAt }), config }
  refuseUnprovenPrograms(before, [stored], caller)
  const { pool } = context.live
  const { definition, missing } = resolved(stored, context)
  if (missing.length > 0) {
    const message = `It needs a value for ${missing.join(', ')}. Set it where the gateway runs, or write it in place of the reference.`
    return { ok: false, durationMs: 0, problem: { code: 'SERVER_STOPPED', message }, log: [] }
  }
  const tooLate = AbortSignal.timeout(MOST_MS)
  const trial = await pool.tryOut(withLoginOf(pool.get(id)?.definition, definition), AbortSignal.any([signal, tooLate]))
  const { name, version } = trial.serverInfo ?? {}
  return {
    ok: trial.failure === undefined,
    ...(typeof name === 'string' && { name: name.slice(0, LONGEST_TEXT) }),
    ...(typeof version === 'string' && { version: version.slice(0, LONGEST_TEXT) }),
    ...(trial.tools !== undefined && { tools: trial.tools }),
    durationMs: Math.round(watch.ms),
    ...(trial.failure !== undefined && {
      problem: tooLate.aborted ? timedOut(definition) : problemOf(trial.failure),
    }),
    log: trial.logs.slice(-SHOWN_LINES),
  }
}

/** The server as it would be started, and the values that it lacks. */
function resolved(
  stored: StoredServer,
  { parts }: AdminContext,
): { readonly definition: ServerDefinition; readonly missing: readonly string[] } {
  const { id, config } = stored
  const { variables = {}, home } = parts.machine?.environment ?? {}
  const sources = { variables, ...(home !== undefined && { home }) }
  const { config: complete, missingValues } = resolveServers(
    { mcpServers: { [id]: config } } as Parameters<typeof resolveServers>[0],
    { servers: [stored] },
    sources,
  )
  const definition = serverDefinition(id, complete.mcpServers?.[id] ?? config)
  return { definition, missing: missingValues.get(id) ?? [] }
}

/** The login belongs to an address: a server at another address has none. */
function withLoginOf(running: ServerDefinition | undefined, definition: ServerDefinition): ServerDefinition {
  const of = ({ name, transport }: ServerDefinition): string =>
    transport.kind === 'stdio' ? '' : JSON.stringify([name, transport.url, transport.auth])
  const isSame = running !== undefined && of(running) === of(definition)
  return isSame ? definition : { ...definition, hasNoLogin: true }
}

function timedOut({ name }: ServerDefinition): NonNullable<ServerTest['problem']> {
  const reason = `"${name}" was not ready within ${MOST_MS / 1000} s`
  const error = new GatewayError('SERVER_TIMEOUT', { server: name, reason, remedy: 'Start it once by hand to see why' })
  return problemOf(error)
}

function problemOf(failure: unknown): NonNullable<ServerTest['problem']> {
  if (failure instanceof GatewayError) return { code: failure.code, message: failure.message }
  const message = failure instanceof Error ? failure.message : titleOf('INTERNAL')
  return { code: 'REPLY_INVALID', message: message.slice(0, 500) }
}
