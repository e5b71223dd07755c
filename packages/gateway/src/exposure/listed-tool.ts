import { isRecord } from '@tooldex/http-kit/json'
import type { ExposedNames } from '../access/exposed-names.ts'
import type { CatalogTool } from '../catalog/catalog.ts'
import { measureVariant } from '../catalog/definition-size.ts'
import type { Project, ProjectTool } from '../model/project.ts'
import type { ExposureMode, ResolvedDisclosure } from '../model/settings.ts'
import type { ToolKey } from '../model/tool-key.ts'

/** A tool as `tools/list` shows it. */
export interface ListedTool {
  readonly name: string
  readonly [field: string]: unknown
}

/** Repeats the flag in `_meta`, because the SDKs of clients drop unknown fields of a tool but keep its `_meta`. */
const DEFER_META_KEY = 'io.tooldex/defer_loading'
/** Read by clients that defer tools themselves. */
export const ALWAYS_LOAD_META_KEY = 'anthropic/alwaysLoad'

/**
 * When a client should load a tool: later, at once, or as the server's own hints say.
 */
export type LoadingHint = 'defer' | 'always' | 'none'

/** The members of a definition that a list may change. */
const CHANGED = ['name', 'description', 'outputSchema', 'defer_loading', '_meta']
const NAME_ONLY = ['name']

/** How a tool is listed. */
export interface ListingStyle {
  readonly hint: LoadingHint
  readonly hasOutputSchema: boolean
}

/** A server's tool with its exposed name and the project's description; everything else is unchanged. */
export function listedTool(
  tool: CatalogTool,
  name: string,
  project: Project,
  { hint, hasOutputSchema }: ListingStyle,
): ListedTool {
  const description = project.tools.get(tool.key)?.description
  const { outputSchema, ...others } = tool.definition
  const kept = outputSchema === undefined || hasOutputSchema ? tool.definition : others
  const named: ListedTool = { ...kept, name, ...(description !== undefined && { description }) }
  const listed = hint === 'none' ? named : hinted(named, hint)
  const isRenamedOnly = hint === 'none' && description === undefined && kept === tool.definition
  measureVariant(listed, tool.definition, isRenamedOnly ? NAME_ONLY : CHANGED)
  return listed
}

function hinted(tool: ListedTool, hint: 'defer' | 'always'): ListedTool {
  const { defer_loading: _flag, _meta, ...rest } = tool
  const { [DEFER_META_KEY]: _ours, [ALWAYS_LOAD_META_KEY]: _theirs, ...meta } = metaOf(_meta)
  return hint === 'defer'
    ? { ...rest, name: tool.name, defer_loading: true, _meta: { ...meta, [DEFER_META_KEY]: true } }
    : { ...rest, name: tool.name, _meta: { ...meta, [ALWAYS_LOAD_META_KEY]: true } }
}

/** The exposed name of a tool. The table has every eligible tool; the key is only a fallback. */
export function exposedNameOf(tool: CatalogTool, names: ExposedNames): string {
  return names.nameOf(tool) ?? tool.key
}

/** The name of a tool without its server, for clients of a project. */
export function ownNameOf({ key, name }: CatalogTool, project: Project): string {
  return project.tools.get(key)?.name ?? name
}

/** The description of a tool for clients of a project. */
export function descriptionOf(tool: CatalogTool, project: Project): string | undefined {
  return project.tools.get(tool.key)?.description ?? tool.definition.description
}

function metaOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {}
}

/** Whether lists of this mode mark tools as deferred. */
export function isDeferring(mode: ExposureMode, { deferLoading }: Pick<ResolvedDisclosure, 'deferLoading'>): boolean {
  return mode === 'deferred' || (mode === 'limited' && deferLoading)
}

/** Whether a tool is marked as deferred. The tool's setting overrides the list's. A pinned tool is not deferred by default. */
export function isDeferred(key: ToolKey, tools: ReadonlyMap<ToolKey, ProjectTool>, listIsDeferring: boolean): boolean {
  const own = tools.get(key)
  return own?.deferLoading ?? (listIsDeferring && own?.pinned !== true)
}
