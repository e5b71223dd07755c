import type { ServerConfig } from '@tooldex/contract'
import type { ServerAuth, ServerDefinition } from '../model/server.ts'

/** A server as the pool takes it, from a checked entry of the configuration. */
export function serverDefinition(id: string, server: ServerConfig): ServerDefinition {
  return {
    id,
    name: server.name ?? id,
    transport: transportOf(server),
    enabled: server.enabled ?? server.disabled !== true,
    start: server.start,
    limits: server.limits,
    era: server.era,
  }
}

function transportOf(server: ServerConfig): ServerDefinition['transport'] {
  if (server.url !== undefined) {
    return {
      kind: server.type === 'sse' ? 'sse' : 'http',
      url: server.url,
      headers: server.headers ?? {},
      ...(server.auth !== undefined && { auth: server.auth as ServerAuth }),
    }
  }
  return {
    kind: 'stdio',
    command: server.command ?? '',
    args: server.args ?? [],
    env: server.env ?? {},
    ...(server.cwd !== undefined && { cwd: server.cwd }),
  }
}
