import type { ServerConfig } from '@tooldex/contract'
import { type AdminServer, mayUse, type RouteAnswer } from '@tooldex/contract/admin'
import { serverDefinition } from '../../../config/to-model.ts'
import { GatewayError } from '../../../errors.ts'
import { limitedRemarks } from '../../../servers/protocol/definition-limits.ts'
import type { ServerStatus } from '../../../model/server.ts'
import type { Server } from '../../../servers/server.ts'
import type { AdminCaller } from '../../access/admin-caller.ts'
import { type ConfiguredEntry, entryMetadata } from '../../changes/configured-entries.ts'
import { maskServer, unreadableSecrets } from '../../../model/server-secrets.ts'
import { ServerChanges } from '../../changes/server-changes.ts'
import type { AdminContext, Handlers } from '../admin-context.ts'
import { entryPage } from '../list-pages.ts'
import { eventStream } from '../event-stream.ts'

const LOG_POLL_MS = 500

/** Routes about servers. */
export function serverHandlers(context: AdminContext) {
  const changes = new ServerChanges(context.administration)
  const one = (id: string, caller: AdminCaller): AdminServer =>
    serverAnswer(context.entries.server(id), context, caller)
  const all = (caller: AdminCaller) => ({
    items: context.entries.servers().map((server) => serverAnswer(server, context, caller)),
  })
  return {
    listServers: ({ query, caller }) => {
      const { items, ...page } = entryPage(context.entries.servers(), query)
      return { items: items.map((server) => serverAnswer(server, context, caller)), ...page }
    },
    getServer: ({ params, caller }) => one(params.server, caller),
    createServer: async ({ body, caller }) => {
      await changes.create(body, caller)
      return one(body.id, caller)
    },
    // The readers of clients' files are loaded when somebody pastes one.
    previewServers: async ({ body }) => (await import('./pasted-servers.ts')).previewPasted(body.text, context.entries),
    changeServer: async ({ params, body, caller, revision }) => {
      await changes.change(params.server, body, caller, revision)
      return one(params.server, caller)
    },
    orderServers: async ({ body, caller }) => {
      await changes.order(body.servers)
      return all(caller)
    },
    removeServer: async ({ params, revision }) => {
      const removal = await changes.remove(params.server, revision)
      await context.parts.store.logins.remove(params.server)
      return removal
    },
    enableServer: async ({ params, caller }) => {
      refuseMissingValues(params.server, context)
      await changes.enable(params.server, true)
      return one(params.server, caller)
    },
    disableServer: async ({ params, caller }) => {
      await changes.enable(params.server, false)
      return one(params.server, caller)
    },
    restartServer: async ({ params, caller }) => {
      await runningServer(params.server, context).restart()
      return one(params.server, caller)
    },
    serverLogs: ({ params, query, request }) => {
      context.entries.server(params.server)
      const lines = () => context.parts.live?.pool.get(params.server)?.logs() ?? []
      if (request.headers.get('accept')?.includes('text/event-stream') === true) {
        return followedLogs(lines, query.lines, request.signal)
      }
      return {
        items: lines()
          .slice(-query.lines)
          .map(({ at, line }) => ({ at, line })),
      }
    },
    serverTools: ({ params }) => serverToolsAnswer(params.server, context),
    loginServer: async ({ params }) => {
      context.entries.server(params.server)
      const { logins, pool } = context.live
      const loginUrl = (await logins?.begin(params.server)) ?? pool.get(params.server)?.status().loginUrl
      if (loginUrl !== undefined) return { loginUrl }
      throw new GatewayError('LOGIN_NOT_NEEDED', { server: params.server, remedy: 'See its status' })
    },
    logoutServer: async ({ params }) => {
      context.entries.server(params.server)
      if (context.parts.live?.logins === undefined) await context.parts.store.logins.remove(params.server)
      else await context.parts.live.logins.forget(params.server)
      return undefined
    },
  } satisfies Partial<Handlers>
}

/** A server as the API shows it. */
export function serverAnswer(
  entry: ConfiguredEntry<ServerConfig>,
  context: AdminContext,
  caller: AdminCaller,
): AdminServer {
  const { id, config } = entry
  const { name, enabled, transport } = serverDefinition(id, config)
  const missingValues = context.missingValues(id)
  const status = context.statusOf(id)
  const listed = context.catalogServer(id)
  const lost = context.entries.state.servers.find((server) => server.id === id)?.unreadableSecrets
  const problem = lost === undefined ? listed?.problem : lostSecrets(id, config, lost)
  const latency = context.parts.live?.latencies.of(id)
  const projects = [...context.model.projects.values()].filter((project) => project.serverIds.includes(id))
  const sent = context.parts.live?.pool.get(id)?.remarks() ?? []
  const repairs = [...(listed?.tools.values() ?? [])].flatMap((tool) =>
    tool.repairs.map((text) => `${tool.name}: ${text}`),
  )
  return {
    id,
    name,
    ...entryMetadata(entry, context.entries),
    enabled: enabled && missingValues === undefined,
    transport: transport.kind,
    ...(status !== undefined && { status: statusAnswer(status, caller) }),
    counts: {
      tools: listed?.tools.size ?? 0,
      prompts: listed?.prompts.length ?? 0,
      resources: (listed?.resources.length ?? 0) + (listed?.resourceTemplates.length ?? 0),
    },
    isLastGood: listed?.isLastGood === true && listed.toolsUnknown === undefined && listed.awaitedSince === undefined,
    ...(problem !== undefined && { problem }),
    ...(listed?.toolsUnknown !== undefined && { toolsUnknown: listed.toolsUnknown }),
    remarks: [...limitedRemarks([...sent, ...(listed?.remarks ?? []), ...repairs])],
    ...(latency !== undefined && { latency }),
    projects: projects.map((project) => project.id),
    ...(missingValues !== undefined && { missingValues: [...missingValues] }),
    config: maskServer(config),
  }
}

function lostSecrets(...of: Parameters<typeof unreadableSecrets>): string {
  const { reason, remedy } = unreadableSecrets(...of)
  return `${reason}. Start the gateway with the key that encrypted them, or ${remedy}`
}

/** The tools of a server, as it listed them. */
function serverToolsAnswer(id: string, context: AdminContext): RouteAnswer<'serverTools'> {
  const { config } = context.entries.server(id)
  const tools = [...(context.catalogServer(id)?.tools.values() ?? [])]
  const permissions = new Map(Object.entries(config.toolPermissions ?? {}))
  return {
    items: tools.map((tool) => ({
      key: tool.key,
      name: tool.name,
      allowed: permissions.get(tool.name) !== false,
      definition: { ...tool.definition },
      repairs: [...tool.repairs],
      tokens: context.tokens.ofTool(tool.definition),
    })),
  }
}

/** Any visitor of a login page can log in, so that only callers who may begin a login get its address. */
function statusAnswer(status: ServerStatus, caller: AdminCaller): NonNullable<AdminServer['status']> {
  const { state, since, pid, era, lastError, loginUrl, restarts, instances } = status
  return {
    state,
    since,
    restarts,
    ...(pid !== undefined && { pid }),
    ...(era !== undefined && { era }),
    ...(lastError !== undefined && { lastError }),
    ...(loginUrl !== undefined && mayUse(caller.role, 'loginServer') && { loginUrl }),
    ...(instances !== undefined && { instances }),
  }
}

/** A server that lacks a value cannot be enabled. @throws GatewayError SERVER_STOPPED */
function refuseMissingValues(id: string, context: AdminContext): void {
  const missing = context.missingValues(id)
  if (missing === undefined) return
  throw new GatewayError('SERVER_STOPPED', {
    server: id,
    reason: `it needs a value for ${missing.join(', ')}`,
    remedy: `Give it in its settings, or with: tooldex server set ${id} --input ${missing[0] ?? ''}=…`,
  })
}

/** @throws GatewayError SERVER_NOT_FOUND, NOT_RUNNING, SERVER_STOPPED */
function runningServer(id: string, context: AdminContext): Server {
  context.entries.server(id)
  const server = context.live.pool.get(id)
  if (server?.definition.enabled === true) return server
  throw new GatewayError('SERVER_STOPPED', { server: id, reason: 'the server is disabled', remedy: 'Enable it' })
}

type Lines = readonly { readonly at: number; readonly line: string }[]

/** Polls the log buffer of a server and streams new lines. */
function followedLogs(lines: () => Lines, first: number, signal: AbortSignal): Response {
  return eventStream(signal, (send) => {
    let last: Lines[number] | undefined
    const sendNew = (most: number): void => {
      const all = lines()
      const from = last === undefined ? Math.max(0, all.length - most) : all.lastIndexOf(last) + 1
      for (const { at, line } of all.slice(from)) send('line', { at, line })
      last = all.at(-1) ?? last
    }
    sendNew(first)
    const timer = setInterval(() => sendNew(Number.POSITIVE_INFINITY), LOG_POLL_MS).unref()
    return () => clearInterval(timer)
  })
}
