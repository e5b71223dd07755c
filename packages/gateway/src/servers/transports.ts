import type { ServerLogins } from './login/server-logins.ts'
import type { HttpDispatcher } from './http/http-exchange.ts'
import type { ProgramHome } from './http/replica-transport.ts'
import type { HttpTransport, ServerDefinition } from '../model/server.ts'
import type { TransportFactory } from './protocol/connect.ts'
import type { ServerTransport } from './protocol/server-transport.ts'
import type { Environment } from './stdio/child-environment.ts'
import type { ServerProcesses } from './stdio/process-registry.ts'
import type { ProcessTable } from './stdio/process-table.ts'
import { StdioTransport } from './stdio/stdio-transport.ts'
import type { StopTimes } from './stdio/process-tree.ts'

/** The collaborators of transports. */
export interface ProgramParts {
  /** Records the processes, in case the gateway is killed. */
  readonly processes?: ServerProcesses | undefined
  readonly table: ProcessTable
  /** The gateway's environment, of which servers get a few harmless variables. */
  readonly ourEnv: Environment
  readonly stopTimes?: StopTimes | undefined
  /** The credentials for servers behind URLs. */
  readonly logins?: Pick<ServerLogins, 'credentials'> | undefined
  /** Where a program runs that runs in one gateway only; resolves to undefined if that is this one. */
  readonly programHome?: ((definition: ServerDefinition) => Promise<ProgramHome | undefined>) | undefined
}

/** Makes the transport of a definition. All servers behind URLs share one HTTP client, which the first of them loads. */
export function transportFactory(parts: ProgramParts): TransportFactory {
  let dispatcher: Promise<HttpDispatcher> | undefined
  const open = (): Promise<HttpDispatcher> =>
    (dispatcher ??= import('./http/http-exchange.ts').then(({ openDispatcher }) => openDispatcher()))
  return (definition, log, requests) => {
    const { transport, limits, name, placement } = definition
    if (transport.kind !== 'stdio') return behindUrl(definition, transport, open, parts)
    const { command, args, env, cwd } = transport
    const { maxReplyBytes } = limits
    const here = () =>
      new StdioTransport({ ...parts, server: name, command, args, env, cwd, maxReplyBytes, log, requests })
    if (placement !== 'one' || parts.programHome === undefined) return here()
    return parts
      .programHome(definition)
      .then((home) => (home === undefined ? here() : inReplica(definition, home, open)))
  }
}

async function inReplica(
  definition: ServerDefinition,
  home: ProgramHome,
  open: () => Promise<HttpDispatcher>,
): Promise<ServerTransport> {
  const { ReplicaTransport } = await import('./http/replica-transport.ts')
  return new ReplicaTransport(definition, home, { dispatcher: await open(), ...definition.limits })
}

async function behindUrl(
  definition: ServerDefinition,
  transport: HttpTransport,
  open: () => Promise<HttpDispatcher>,
  { logins }: ProgramParts,
): Promise<ServerTransport> {
  const { maxReplyBytes } = definition.limits
  const parts = {
    dispatcher: await open(),
    maxReplyBytes,
    credentials: definition.hasNoLogin === true ? undefined : logins?.credentials(definition),
  }
  if (transport.kind === 'sse') {
    const { SseTransport } = await import('./http/sse-transport.ts')
    return new SseTransport(definition, transport, parts)
  }
  const { StreamableTransport } = await import('./http/streamable-transport.ts')
  return new StreamableTransport(definition, transport, parts)
}
