import type { AdminServer, RouteAnswer } from '@tooldex/contract/admin'
import type { ServerConfig } from '@tooldex/contract'
import { serverDefinition } from '../config/server-definition.ts'
import type { ServerStatus } from '../model/server.ts'
import type { ConfiguredEntry } from './configured-entries.ts'
import { entryFacts } from './entry-facts.ts'
import { maskServer } from './mask-secrets.ts'
import type { AdminPicture } from './picture.ts'

/** A server as the API shows it. */
export function serverAnswer(entry: ConfiguredEntry<ServerConfig>, picture: AdminPicture): AdminServer {
  const { id, config } = entry
  const { name, enabled, transport } = serverDefinition(id, config)
  const status = picture.statusOf(id)
  const listed = picture.catalogServer(id)
  const latency = picture.parts.live?.latencies.of(id)
  const projects = [...picture.model.projects.values()].filter((project) => project.serverIds.includes(id))
  const repairs = [...(listed?.tools.values() ?? [])].flatMap((tool) =>
    tool.repairs.map((text) => `${tool.name}: ${text}`),
  )
  return {
    id,
    name,
    ...entryFacts(entry, picture.entries),
    enabled,
    transport: transport.kind,
    ...(status !== undefined && { status: statusAnswer(status) }),
    counts: {
      tools: listed?.tools.size ?? 0,
      prompts: listed?.prompts.length ?? 0,
      resources: (listed?.resources.length ?? 0) + (listed?.resourceTemplates.length ?? 0),
    },
    isLastGood: listed?.isLastGood ?? false,
    ...(listed?.problem !== undefined && { problem: listed.problem }),
    remarks: [...(listed?.remarks ?? []), ...repairs],
    ...(latency !== undefined && { latency }),
    projects: projects.map((project) => project.id),
    config: maskServer(config),
  }
}

/** Its tools, as it listed them. */
export function serverToolsAnswer(id: string, picture: AdminPicture): RouteAnswer<'serverTools'> {
  const { config } = picture.entries.server(id)
  const tools = [...(picture.catalogServer(id)?.tools.values() ?? [])]
  const permissions = new Map(Object.entries(config.toolPermissions ?? {}))
  return {
    items: tools.map((tool) => ({
      key: tool.key,
      name: tool.name,
      allowed: permissions.get(tool.name) !== false,
      definition: { ...tool.definition },
      repairs: [...tool.repairs],
      tokens: picture.tokens.ofTool(tool.definition),
    })),
  }
}

function statusAnswer(status: ServerStatus): NonNullable<AdminServer['status']> {
  const { state, since, pid, era, lastError, loginUrl, restarts } = status
  return {
    state,
    since,
    restarts,
    ...(pid !== undefined && { pid }),
    ...(era !== undefined && { era }),
    ...(lastError !== undefined && { lastError }),
    ...(loginUrl !== undefined && { loginUrl }),
  }
}
