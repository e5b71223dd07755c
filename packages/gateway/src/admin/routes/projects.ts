import type { ProjectConfig } from '@tooldex/contract'
import type { AdminProject } from '@tooldex/contract/admin'
import { type ConfiguredEntry, entryMetadata } from '../changes/configured-entries.ts'
import { ProjectChanges } from '../changes/project-changes.ts'
import type { AdminContext, Handlers } from './admin-context.ts'
import { effectiveSettings } from './endpoints.ts'
import { forgetUses } from './learned.ts'
import { entryPage } from './list-pages.ts'
import { previewProject } from './project-preview.ts'

/** Routes about projects. */
export function projectHandlers(context: AdminContext) {
  const changes = new ProjectChanges(context.administration)
  const one = (id: string): AdminProject => projectAnswer(context.entries.project(id), context)
  return {
    listProjects: ({ query }) => {
      const { items, ...page } = entryPage(context.entries.projects(), query)
      return { items: items.map((project) => projectAnswer(project, context)), ...page }
    },
    getProject: ({ params }) => one(params.project),
    createProject: async ({ body }) => one(await changes.create(body)),
    changeProject: async ({ params, body, revision }) => {
      await changes.change(params.project, body, revision)
      return one(params.project)
    },
    removeProject: async ({ params, revision }) => {
      const removed = await changes.remove(params.project, revision)
      await forgetUses(context, params.project)
      return removed
    },
    previewProject: ({ params, body }) => previewProject(params.project, body, context),
  } satisfies Partial<Handlers>
}

/** A project as the API shows it. */
function projectAnswer(entry: ConfiguredEntry<ProjectConfig>, context: AdminContext): AdminProject {
  const { id, config } = entry
  const project = context.model.projects.get(id)
  const serverIds = project?.serverIds ?? []
  const settings = effectiveSettings({}, project?.disclosure ?? {})
  const own = new Set(serverIds)
  const all = context.catalog.servers.filter((server) => own.has(server.id))
  return {
    id,
    name: project?.name ?? config.name ?? id,
    ...entryMetadata(entry, context.entries),
    optimization: settings.strategy.value,
    servers: [...serverIds],
    missingServers: (config.servers ?? []).filter((each) => !own.has(each)),
    endpoints: context.entries
      .endpoints()
      .filter((endpoint) => endpoint.config.project === id)
      .map((endpoint) => endpoint.id),
    tools: {
      eligible: project === undefined ? 0 : context.eligible(project).size,
      all: all.reduce((sum, server) => sum + server.tools.size, 0),
    },
    settings,
    config,
  }
}
