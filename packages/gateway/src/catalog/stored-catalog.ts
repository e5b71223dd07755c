import { repairTools } from '../servers/protocol/repair-tools.ts'
import type { ServerDefinition } from '../model/server.ts'
import type { CatalogServer, CatalogSnapshot, CatalogTool } from './catalog.ts'
import { type LastGoodStore, originOf } from '../model/last-good.ts'
import { formatToolKey } from '../model/tool-key.ts'

/** The catalog of the stored lists, for use without a running gateway. Its servers count as started on demand. */
export async function storedCatalog(
  definitions: readonly ServerDefinition[],
  kept: Pick<LastGoodStore, 'load'>,
): Promise<CatalogSnapshot> {
  const servers = await Promise.all(definitions.map((definition) => storedServer(definition, kept)))
  const tools = servers.flatMap((server) => [...server.tools.values()])
  return { version: 0, servers, tools: new Map(tools.map((tool) => [tool.key, tool])) }
}

async function storedServer(definition: ServerDefinition, kept: Pick<LastGoodStore, 'load'>): Promise<CatalogServer> {
  const { id, name, enabled } = definition
  const found = await kept.load(id)
  const lists = found?.origin === originOf(definition) ? found.lists : undefined
  const tools = repairTools(lists?.tools ?? []).tools.filter(({ needsTask }) => !needsTask)
  const entries = tools.map(({ definition: tool, repairs }): [string, CatalogTool] => [
    tool.name,
    { key: formatToolKey(id, tool.name), serverId: id, serverName: name, name: tool.name, definition: tool, repairs },
  ])
  return {
    id,
    name,
    state: enabled ? 'idle' : 'stopped',
    tools: new Map(entries),
    prompts: lists?.prompts ?? [],
    resources: lists?.resources ?? [],
    resourceTemplates: lists?.resourceTemplates ?? [],
    isLastGood: true,
  }
}
