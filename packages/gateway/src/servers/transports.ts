import type { ServerLogins } from './login/server-logins.ts'
import type { Credentials } from './login/with-credentials.ts'
import type { HttpTransport, ServerDefinition } from '../model/server.ts'
import type { ServerTransport, TransportFactory } from './protocol/server-transport.ts'
import type { Environment } from './stdio/child-environment.ts'
import type { ServerProcesses } from './stdio/process-registry.ts'
import type { ProcessTable } from './stdio/process-table.ts'
import { StdioTransport } from './stdio/stdio-transport.ts'
import type { StopTimes } from './stdio/stop-tree.ts'

/** What starting programs and logging in needs. */
export interface ProgramParts {
  /** Remembers what was started, for the case that the gateway is killed. */
  readonly processes?: ServerProcesses | undefined
  readonly table: ProcessTable
  /** The gateway's own environment; servers get a few harmless variables of it. */
  readonly ourEnv: Environment
  readonly stopTimes?: StopTimes | undefined
  /** Who we are for servers behind URLs that ask. */
  readonly logins?: Pick<ServerLogins, 'credentials'> | undefined
}

/** Makes the wire that a definition asks for. */
export function transportFactory(parts: ProgramParts): TransportFactory {
  return (definition, log) => {
    const { transport, limits, name } = definition
    if (transport.kind !== 'stdio') return behindUrl(definition, transport, parts.logins?.credentials(definition))
    const { command, args, env, cwd } = transport
    return new StdioTransport({
      ...parts,
      server: name,
      command,
      args,
      env,
      cwd,
      maxReplyBytes: limits.maxReplyBytes,
      log,
    })
  }
}

/** Only who has servers behind URLs loads what they need. */
async function behindUrl(
  definition: ServerDefinition,
  transport: HttpTransport,
  credentials: Credentials | undefined,
): Promise<ServerTransport> {
  const { maxReplyBytes } = definition.limits
  if (transport.kind === 'sse') {
    const { SseServerTransport } = await import('./http/sse-transport.ts')
    return new SseServerTransport(definition, transport, maxReplyBytes, credentials)
  }
  const { StreamableTransport } = await import('./http/streamable-transport.ts')
  return new StreamableTransport(definition, transport, maxReplyBytes, credentials)
}
