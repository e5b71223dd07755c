import type { EndpointConfig, ProjectConfig } from '@tooldex/contract'
import { fromSeedEndpoint, fromSeedProject } from '../exposure/seed-settings.ts'
import type { DisclosureSettings } from '../model/settings.ts'

const OWN = [
  ...(['exposure', 'dialect', 'strategy', 'deferLoading', 'maxTools', 'searchThreshold', 'selectionOrder'] as const),
  ...(['executeTool', 'directCalls', 'dropPrefix', 'tokenBudget'] as const),
]
const SHARED_ALIASES = ['optimization', 'maxToolsLimit', 'toolSelectionOrder'] as const
const PROJECT_ALIASES = ['default_defer_loading', 'default_search_method', 'default_tool_visibility'] as const
const ENDPOINT_ALIASES = ['override_defer_loading', 'override_search_method', 'override_tool_visibility'] as const

/** A project's settings; what it says in our words wins over what follows from another gateway's. */
export function projectDisclosure(project: ProjectConfig): DisclosureSettings {
  return { ...fromSeedProject(present(project, [...SHARED_ALIASES, ...PROJECT_ALIASES])), ...present(project, OWN) }
}

/** An endpoint's overrides. */
export function endpointDisclosure(endpoint: EndpointConfig): DisclosureSettings {
  return { ...fromSeedEndpoint(present(endpoint, [...SHARED_ALIASES, ...ENDPOINT_ALIASES])), ...present(endpoint, OWN) }
}

type Present<Source, Key extends keyof Source> = { [Each in Key]?: Exclude<Source[Each], undefined> }

/** The named settings that are there: absent means inherit, so that `undefined` must not get in. */
function present<Source extends object, Key extends keyof Source>(
  source: Source,
  keys: readonly Key[],
): Present<Source, Key> {
  const entries = keys.filter((key) => source[key] !== undefined).map((key) => [key, source[key]] as const)
  return Object.fromEntries(entries) as Present<Source, Key>
}
