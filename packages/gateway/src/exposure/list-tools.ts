import type { EligibleTools } from '../access/eligible-tools.ts'
import type { CatalogTool } from '../catalog/catalog.ts'
import type { ToolKey } from '../model/tool-key.ts'
import type { DecidedExposure } from './decide-exposure.ts'
import type { ExposedNames } from '../access/exposed-names.ts'
import { isDeferred, isDeferring } from './is-deferred.ts'
import { limitedList } from './limited-list.ts'
import { exposedNameOf, type ListedTool, listedTool, type LoadingHint } from './listed-tool.ts'
import type { ResolvedDisclosure } from '../model/settings.ts'

/** The gateway's own tools, as a dialect names and describes them. */
export interface OwnTools {
  /** @param hidden how many tools a search could find beyond those listed */
  searchTool(hidden: number): ListedTool
  readonly executeTool: ListedTool
}

/** Everything that a list depends on. */
export interface ToolListing {
  readonly eligible: EligibleTools
  readonly mode: DecidedExposure
  readonly settings: ResolvedDisclosure
  readonly dialect: OwnTools
  readonly names: ExposedNames
  /** What searches of this session added (`limited`). Absent for clients without a session: their list never grows. */
  readonly additions?: readonly ToolKey[]
}

/**
 * What `tools/list` answers: our own tools first, then those of servers. Pure: the same listing, the same bytes. Adding
 * a mode without deciding what it shows does not compile.
 */
export function listTools(listing: ToolListing): readonly ListedTool[] {
  const { eligible, mode, settings, dialect } = listing
  const pinned = (): readonly CatalogTool[] => eligible.list.filter((tool) => isPinned(tool, eligible))
  switch (mode) {
    case 'full':
      return shown(listing, eligible.list)
    case 'deferred':
      return [...searchTool(listing, eligible.list.length), ...shown(listing, eligible.list)]
    case 'limited':
      return limited(listing)
    case 'search-only':
      return [
        ...searchTool(listing, eligible.list.length),
        ...(settings.executeTool ? [dialect.executeTool] : []),
        ...shown(listing, pinned()),
      ]
    case 'meta-tools':
      return [dialect.searchTool(eligible.list.length), dialect.executeTool, ...shown(listing, pinned())]
  }
}

/** Whether a list is all that there is, and nothing beside it: listing everything would look the same. */
export function listsEverything({
  mode,
  eligible,
  settings,
}: Pick<ToolListing, 'mode' | 'eligible' | 'settings'>): boolean {
  return mode === 'full' || (mode === 'limited' && eligible.list.length <= settings.maxTools)
}

function limited(listing: ToolListing): readonly ListedTool[] {
  const { eligible, settings, names, dialect, additions } = listing
  const first = limitedList(eligible, settings, names)
  if (first.hidden === 0) return shown(listing, first.shown)
  const added = new Set(additions)
  for (const tool of first.shown) added.delete(tool.key)
  const grown = Array.from(added, (key) => eligible.byKey.get(key)).filter((tool) => tool !== undefined)
  return [
    ...searchTool(listing, first.hidden),
    // A list that cannot grow needs another way to what a search finds.
    ...(additions === undefined && settings.strategy !== null ? [dialect.executeTool] : []),
    ...shown(listing, [...first.shown, ...grown]),
  ]
}

/** No strategy, no search: a tool that can find nothing is not worth its tokens. */
function searchTool({ settings, dialect }: ToolListing, hidden: number): readonly ListedTool[] {
  return settings.strategy === null ? [] : [dialect.searchTool(hidden)]
}

function shown(listing: ToolListing, tools: readonly CatalogTool[]): readonly ListedTool[] {
  const { eligible, names } = listing
  return tools.map((tool) => listedTool(tool, exposedNameOf(tool, names), eligible.project, hintFor(tool, listing)))
}

function hintFor(tool: CatalogTool, { eligible: { project }, mode, settings }: ToolListing): LoadingHint {
  const deferring = isDeferring(mode, settings)
  if (isDeferred(tool.key, project.tools, deferring)) return 'defer'
  return deferring || project.tools.get(tool.key)?.pinned === true ? 'always' : 'none'
}

function isPinned(tool: CatalogTool, eligible: EligibleTools): boolean {
  return eligible.project.tools.get(tool.key)?.pinned === true
}
