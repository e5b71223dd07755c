import { isRecord } from '@tooldex/http-kit/json'
import type { ExposedNames } from '../access/exposed-names.ts'
import type { CatalogTool } from '../catalog/catalog.ts'
import type { Project, ProjectTool } from '../model/project.ts'
import type { ExposureMode, ResolvedDisclosure } from '../model/settings.ts'
import type { ToolKey } from '../model/tool-key.ts'

/** A tool as `tools/list` shows it. */
export interface ListedTool {
  readonly name: string
  readonly [field: string]: unknown
}

/** Our own repetition of the flag: the SDKs of clients strip unknown fields of a tool, but keep its `_meta`. */
const DEFER_META_KEY = 'io.tooldex/defer_loading'
/** What clients that defer by themselves read. */
export const ALWAYS_LOAD_META_KEY = 'anthropic/alwaysLoad'

/**
 * What a client is told about loading a tool: later, at once, or nothing at all, in which case the server's own hints
 * stand.
 */
export type LoadingHint = 'defer' | 'always' | 'none'

/** A server's tool under its exposed name, in the project's words, everything else as the server said it. */
export function listedTool(tool: CatalogTool, name: string, project: Project, hint: LoadingHint): ListedTool {
  const description = project.tools.get(tool.key)?.description
  const listed: ListedTool = { ...tool.definition, name, ...(description !== undefined && { description }) }
  if (hint === 'none') return listed
  const { defer_loading: _flag, _meta, ...rest } = listed
  const { [DEFER_META_KEY]: _ours, [ALWAYS_LOAD_META_KEY]: _theirs, ...meta } = metaOf(_meta)
  return hint === 'defer'
    ? { ...rest, name, defer_loading: true, _meta: { ...meta, [DEFER_META_KEY]: true } }
    : { ...rest, name, _meta: { ...meta, [ALWAYS_LOAD_META_KEY]: true } }
}

/** What a client calls a tool. The table has every eligible tool; the key would do, too. */
export function exposedNameOf(tool: CatalogTool, names: ExposedNames): string {
  return names.nameOf(tool) ?? tool.key
}

/** What clients of a project read about a tool. */
export function descriptionOf(tool: CatalogTool, project: Project): string | undefined {
  return project.tools.get(tool.key)?.description ?? tool.definition.description
}

function metaOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {}
}

/** Whether lists of this kind tell clients to load tools later. */
export function isDeferring(mode: ExposureMode, { deferLoading }: Pick<ResolvedDisclosure, 'deferLoading'>): boolean {
  return mode === 'deferred' || (mode === 'limited' && deferLoading)
}

/** Whether clients are told to load a tool later. Nearest wins: the tool, then the list. A pinned tool is there to be loaded. */
export function isDeferred(key: ToolKey, tools: ReadonlyMap<ToolKey, ProjectTool>, listIsDeferring: boolean): boolean {
  const own = tools.get(key)
  return own?.deferLoading ?? (listIsDeferring && own?.pinned !== true)
}
