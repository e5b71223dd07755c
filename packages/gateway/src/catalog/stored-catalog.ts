import { repairTools } from './repair-tools.ts'
import type { ServerDefinition } from '../model/server.ts'
import type { CatalogServer, CatalogSnapshot, CatalogTool } from './catalog.ts'
import { type LastGoodStore, originOf } from '../model/last-good.ts'
import { formatToolKey } from '../model/tool-key.ts'
import { type ReviewDefinitions, reviewInstructions, reviewList, reviewTools } from './reviewed-lists.ts'

/** The catalog of the stored lists, for use without a running gateway. Its servers count as started on demand. */
export async function storedCatalog(
  definitions: readonly ServerDefinition[],
  kept: Pick<LastGoodStore, 'load'>,
  review: ReviewDefinitions,
): Promise<CatalogSnapshot> {
  const servers = await Promise.all(definitions.map((definition) => storedServer(definition, kept, review)))
  const tools = servers.flatMap((server) => [...server.tools.values()])
  return { version: 0, servers, tools: new Map(tools.map((tool) => [tool.key, tool])) }
}

async function storedServer(
  definition: ServerDefinition,
  kept: Pick<LastGoodStore, 'load'>,
  review: ReviewDefinitions,
): Promise<CatalogServer> {
  const { id, name, enabled } = definition
  const found = await kept.load(id)
  const lists = found?.origin === originOf(definition) ? found.lists : undefined
  const tools = repairTools(lists?.tools ?? []).tools.filter(({ needsTask }) => !needsTask)
  const entries = tools.map(({ definition: tool, repairs }): [string, CatalogTool] => [
    tool.name,
    { key: formatToolKey(id, tool.name), serverId: id, serverName: name, name: tool.name, definition: tool, repairs },
  ])
  const live = new Map(entries)
  const { served, held } = await reviewTools(definition, live, { served: live, held: new Map() }, review)
  const prompts = await reviewList(id, 'prompts', lists?.prompts ?? [], review)
  const templates = await reviewList(id, 'resourceTemplates', lists?.resourceTemplates ?? [], review)
  const { instructions } = await reviewInstructions(id, found?.instructions, review)
  return {
    id,
    name,
    state: enabled ? 'idle' : 'stopped',
    tools: served,
    ...(held.size > 0 && { heldTools: held }),
    prompts: prompts.items,
    resources: lists?.resources ?? [],
    resourceTemplates: templates.items,
    ...(instructions !== undefined && { instructions }),
    isLastGood: true,
  }
}
