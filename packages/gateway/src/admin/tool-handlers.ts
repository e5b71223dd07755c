import type { AdminToolDetail } from '@tooldex/contract/admin'
import { type ToolKey, parseToolKey } from '../model/tool-key.ts'
import type { Handlers } from './handlers.ts'
import { atField } from './invalid-request.ts'
import { type AdminPicture, principalOf } from './picture.ts'
import { adminEndpoint, searchPlayground } from './playground.ts'
import { ProjectChanges } from './project-changes.ts'
import { ServerChanges } from './server-changes.ts'
import { toolDetail, toolPage, unlistedTool } from './tool-answers.ts'

/** Routes about tools, and the playground. */
export function toolHandlers(picture: AdminPicture) {
  const servers = new ServerChanges(picture.administration)
  const projects = new ProjectChanges(picture.administration)
  return {
    listTools: ({ query }) => toolPage(query, picture),
    getTool: ({ params }) => toolDetail(params.tool, picture),
    changeTool: async ({ params, body }) => {
      const { serverId, toolName } = parseToolKey(params.tool)
      await servers.allowTool(serverId, toolName, body.allowed)
      return shown(params.tool, picture)
    },
    changeProjectTool: async ({ params, body }) => {
      await projects.changeTool(params.project, params.tool, body)
      return shown(params.tool, picture)
    },
    callTool: async ({ params, body, caller }) => {
      const project = atField('project', () => picture.project(body.project))
      const started = performance.now()
      const { client } = picture.live
      const result = await client.call(params.tool, body.arguments, adminEndpoint(project.id), principalOf(caller))
      return {
        result: { ...result },
        durationMs: performance.now() - started,
        tokens: Math.ceil(JSON.stringify(result).length / 4),
      }
    },
    searchTools: ({ body, caller }) => searchPlayground(body, caller, picture),
  } satisfies Partial<Handlers>
}

/** A decision about a tool is answered whether or not its server lists it now. */
function shown(key: string, picture: AdminPicture): AdminToolDetail {
  return picture.catalog.tools.has(key as ToolKey) ? toolDetail(key, picture) : unlistedTool(key, picture)
}
