import type { ProjectConfig } from '@tooldex/contract'
import type { AdminEndpoint, AdminProject, EffectiveSettings } from '@tooldex/contract/admin'
import type { EndpointConfig } from '@tooldex/contract'
import { DEFAULT_ENDPOINT } from '../model/gateway-model.ts'
import { endpointDisclosure } from '../config/disclosure.ts'
import { settingsWithOrigin } from '../exposure/setting-origins.ts'
import type { DisclosureSettings } from '../model/settings.ts'
import type { ConfiguredEntry } from './configured-entries.ts'
import { entryFacts } from './entry-facts.ts'
import type { AdminPicture } from './picture.ts'

/** A project as the API shows it. */
export function projectAnswer(entry: ConfiguredEntry<ProjectConfig>, picture: AdminPicture): AdminProject {
  const { id, config } = entry
  const project = picture.model.projects.get(id)
  const serverIds = project?.serverIds ?? []
  const settings = effective({}, project?.disclosure ?? {})
  const own = new Set(serverIds)
  const all = picture.catalog.servers.filter((server) => own.has(server.id))
  return {
    id,
    name: project?.name ?? config.name ?? id,
    ...entryFacts(entry, picture.entries),
    optimization: settings.strategy.value,
    servers: [...serverIds],
    missingServers: (config.servers ?? []).filter((each) => !own.has(each)),
    endpoints: picture.entries
      .endpoints()
      .filter((endpoint) => endpoint.config.project === id)
      .map((endpoint) => endpoint.id),
    tools: {
      eligible: project === undefined ? 0 : picture.eligible(project).list.length,
      all: all.reduce((sum, server) => sum + server.tools.size, 0),
    },
    settings,
    config,
  }
}

/** An endpoint as the API shows it. */
export function endpointAnswer(entry: ConfiguredEntry<EndpointConfig>, picture: AdminPicture): AdminEndpoint {
  const { id, config } = entry
  const project = picture.model.projects.get(config.project)
  return {
    id,
    ...entryFacts(entry, picture.entries),
    path: endpointPath(id),
    project: config.project,
    isServed: project !== undefined && picture.model.endpoints.has(id),
    auth: config.auth,
    transparent: config.transparent,
    settings: effective(endpointDisclosure(config), project?.disclosure ?? {}),
    config,
  }
}

/** Where clients connect to. */
export function endpointPath(id: string): string {
  return id === DEFAULT_ENDPOINT ? '/mcp' : `/${id}/mcp`
}

/** Every setting as it holds, and who says so. */
export function effective(endpoint: DisclosureSettings, project: DisclosureSettings): EffectiveSettings {
  const { selectionOrder, ...settings } = settingsWithOrigin(endpoint, project)
  return { ...settings, selectionOrder: { ...selectionOrder, value: [...selectionOrder.value] } }
}
