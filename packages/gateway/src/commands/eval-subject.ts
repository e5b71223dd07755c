import type { IndexedTool } from '@tooldex/search'
import { type EligibleTools, eligibleTools } from '../access/eligible-tools.ts'
import { DEFAULT_ENDPOINT } from '../model/gateway-model.ts'
import { aboutServer, indexedTool } from '../catalog/indexed-tool.ts'
import { localCaller } from '../config/local-access.ts'
import { GatewayError } from '../errors.ts'
import { resolveSettings } from '../exposure/resolve-settings.ts'
import type { KnownTools } from './eval-queries.ts'
import type { CommandGateway } from './gateway.ts'

/** What is evaluated: the tools of an endpoint, as its clients would search them. */
export interface EvalSubject {
  /** In id order; ids are tool keys. */
  readonly tools: readonly IndexedTool[]
  readonly known: KnownTools
  /** What the endpoint searches with; null where search is off. */
  readonly strategy: string | null
}

/** @throws GatewayError ENDPOINT_NOT_FOUND, or SERVER_STOPPED where no tool is known. */
export function subjectOf(gateway: CommandGateway, endpointId: string | undefined): EvalSubject {
  const { principal, endpointId: id } = localCaller(endpointId)
  const { endpoints, projects, serverTools } = gateway.models.current()
  const endpoint = endpoints.get(id)
  const project = endpoint === undefined ? undefined : projects.get(endpoint.projectId)
  if (endpoint === undefined || project === undefined) {
    const name = endpointId ?? DEFAULT_ENDPOINT
    throw new GatewayError('ENDPOINT_NOT_FOUND', { endpoint: name, reason: `the configuration has none named ${name}` })
  }
  const snapshot = gateway.catalog.snapshot()
  const eligible = eligibleTools(principal, project, serverTools, snapshot)
  if (eligible.list.length === 0) {
    throw new GatewayError('SERVER_STOPPED', {
      reason: 'no tool of this endpoint is known yet',
      remedy: 'Start `tooldex serve` once; after that, this works without it',
    })
  }
  return {
    tools: searchedTools(eligible),
    known: { eligible: eligible.keys, all: new Set(snapshot.tools.keys()) },
    strategy: resolveSettings(endpoint.disclosure, project.disclosure).strategy,
  }
}

function searchedTools({ list, servers, project }: EligibleTools): readonly IndexedTool[] {
  const about = new Map(servers.map(({ id, instructions }) => [id, aboutServer(instructions)]))
  const tools = list.map((tool) => ({
    ...indexedTool(tool, about.get(tool.serverId), project.tools.get(tool.key)?.description),
    id: tool.key,
  }))
  return tools.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}
