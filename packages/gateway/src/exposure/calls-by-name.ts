import type { Project } from '../model/project.ts'
import type { CatalogTool } from '../catalog/catalog.ts'
import type { DecidedExposure } from './decide-exposure.ts'
import type { ResolvedDisclosure } from '../model/settings.ts'

/**
 * Whether tools in general can be called by their exposed names. Only `meta-tools` refuses; not where `auto` chose it,
 * because a client that saw the whole list before would lose tools in the middle of its work.
 */
export function takesCallsByName(mode: DecidedExposure, settings: ResolvedDisclosure): boolean {
  return mode !== 'meta-tools' || settings.directCalls || settings.exposure === 'auto'
}

/** Whether this tool can: what is listed can always be called. */
export function mayCallByName(
  tool: CatalogTool,
  project: Project,
  mode: DecidedExposure,
  settings: ResolvedDisclosure,
): boolean {
  return takesCallsByName(mode, settings) || project.tools.get(tool.key)?.pinned === true
}
