import type { McpTool } from '@tooldex/search'
import type { Principal } from '../model/principal.ts'
import type { Project, ProjectTool } from '../model/project.ts'
import type { ServerState } from '../model/server.ts'
import type { CatalogServer, CatalogSnapshot, CatalogTool } from './catalog.ts'
import { type ToolKey, formatToolKey } from '../model/tool-key.ts'

/** A server of a test catalog. Tools are given by name or as definitions. */
export interface ServerSketch {
  readonly id: string
  readonly name?: string
  readonly state?: ServerState
  readonly tools?: readonly (string | McpTool)[]
  /** The names of those among them that are held for approval. */
  readonly held?: readonly string[]
  readonly prompts?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceTemplates?: readonly string[]
  readonly description?: string
  readonly instructions?: string
  readonly awaitedSince?: number
  readonly toolsUnknown?: string
}

export function serverOf(sketch: ServerSketch): CatalogServer {
  const { id, name = id, state = 'running', description, instructions, awaitedSince, toolsUnknown, held = [] } = sketch
  const definitions = (sketch.tools ?? []).map((tool) => (typeof tool === 'string' ? { name: tool } : tool))
  const tools = definitions.map((definition): [string, CatalogTool] => [
    definition.name,
    {
      key: formatToolKey(id, definition.name),
      serverId: id,
      serverName: name,
      name: definition.name,
      definition,
      repairs: [],
    },
  ])
  return {
    id,
    name,
    state,
    tools: new Map(tools.filter(([each]) => !held.includes(each))),
    ...(held.length > 0 && { heldTools: new Map(tools.filter(([each]) => held.includes(each))) }),
    prompts: (sketch.prompts ?? []).map((prompt) => ({ name: prompt })),
    resources: (sketch.resources ?? []).map((uri) => ({ uri })),
    resourceTemplates: (sketch.resourceTemplates ?? []).map((uriTemplate) => ({ uriTemplate })),
    isLastGood: false,
    ...(description === undefined ? {} : { description }),
    ...(instructions === undefined ? {} : { instructions }),
    ...(awaitedSince === undefined ? {} : { awaitedSince }),
    ...(toolsUnknown === undefined ? {} : { toolsUnknown }),
  }
}

export function snapshotOf(sketches: readonly ServerSketch[], version = 1): CatalogSnapshot {
  const servers = sketches.map(serverOf)
  const tools = servers.flatMap((server) => [...server.tools.values()])
  return { version, servers, tools: new Map(tools.map((tool) => [tool.key, tool])) }
}

export function projectOf(
  id: string,
  serverIds: readonly string[],
  tools: Readonly<Record<string, ProjectTool>> = {},
): Project {
  return { id, name: id, serverIds, tools: new Map(Object.entries(tools)) as Map<ToolKey, ProjectTool>, disclosure: {} }
}

export function principalOf(rights: Partial<Principal> = {}): Principal {
  return { tokenId: 't1', name: 'somebody', readOnly: false, ...rights }
}
