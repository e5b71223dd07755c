import type { ToolKey } from '../model/tool-key.ts'
import type { ProjectTool } from '../model/project.ts'
import type { ExposureMode, ResolvedDisclosure } from '../model/settings.ts'

/** Whether lists of this kind tell clients to load tools later. */
export function isDeferring(mode: ExposureMode, { deferLoading }: Pick<ResolvedDisclosure, 'deferLoading'>): boolean {
  return mode === 'deferred' || (mode === 'limited' && deferLoading)
}

/** Whether clients are told to load a tool later. Nearest wins: the tool, then the list. A pinned tool is there to be loaded. */
export function isDeferred(key: ToolKey, tools: ReadonlyMap<ToolKey, ProjectTool>, listIsDeferring: boolean): boolean {
  const own = tools.get(key)
  return own?.deferLoading ?? (listIsDeferring && own?.pinned !== true)
}
