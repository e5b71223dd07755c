import type { EligibleTools } from '../access/eligible-tools.ts'
import type { ExposedNames } from '../access/exposed-names.ts'
import type { CatalogTool } from '../catalog/catalog.ts'
import type { ResolvedDisclosure, SelectionOrder } from '../model/settings.ts'
import type { ToolKey } from '../model/tool-key.ts'
import type { DecidedExposure } from './decide-exposure.ts'
import { tokensOfTool } from './token-estimate.ts'
import { exposedNameOf, isDeferred, isDeferring, type ListedTool, listedTool, type LoadingHint } from './listed-tool.ts'

/** The gateway's own tools in a dialect. */
interface OwnTools {
  /** @param hidden the number of tools that are not listed */
  searchTool(hidden: number): ListedTool
  readonly executeTool: ListedTool
  readonly executeReadTool: ListedTool
  readonly readResultTool: ListedTool
}

/** Everything that a list depends on. */
interface ToolListing {
  readonly eligible: EligibleTools
  readonly mode: DecidedExposure
  readonly settings: ResolvedDisclosure
  readonly dialect: OwnTools
  readonly names: ExposedNames
  /** Tools that searches of this session added (`limited`). Absent for clients without a session, whose list never grows. */
  readonly additions?: readonly ToolKey[]
}

/**
 * The answer to `tools/list`: the gateway's own tools first, then those of servers. Pure: the same input gives the same
 * bytes. The switch is exhaustive.
 */
export function listTools(listing: ToolListing): readonly ListedTool[] {
  const listed = listedByMode(listing)
  const { executeTool, readResultTool } = listing.dialect
  const readsOn = mayCutAny(listing) && listed.length > 0 && !listed.includes(executeTool)
  return readsOn ? [readResultTool, ...listed] : listed
}

/** Whether results of tools that are called by name may be cut, too: such a result does not match its output schema. */
function mayCutAny({ settings }: ToolListing): boolean {
  return typeof settings.resultBudget === 'number'
}

function listedByMode(listing: ToolListing): readonly ListedTool[] {
  const { eligible, mode, settings, dialect } = listing
  const pinned = (): readonly CatalogTool[] => eligible.list.filter((tool) => isPinned(tool, eligible))
  switch (mode) {
    case 'full':
      return shown(listing, fullList(eligible, settings).shown)
    case 'deferred':
      return [...searchTool(listing, eligible.size), ...shown(listing, eligible.list)]
    case 'limited':
      return limited(listing)
    case 'search-only':
      return [
        ...searchTool(listing, eligible.size),
        ...(settings.executeTool ? executeTools(listing) : []),
        ...shown(listing, pinned()),
      ]
    case 'meta-tools':
      return [
        ...(settings.exposure === 'meta-tools'
          ? [dialect.searchTool(eligible.size)]
          : searchTool(listing, eligible.size)),
        ...executeTools(listing),
        ...shown(listing, pinned()),
      ]
  }
}

/** Whether the list contains exactly all tools of the servers. */
export function listsEverything({
  mode,
  eligible,
  settings,
}: Pick<ToolListing, 'mode' | 'eligible' | 'settings'>): boolean {
  if (mode === 'full') return fullList(eligible, settings).hidden === 0
  return mode === 'limited' && eligible.size <= settings.maxTools
}

/**
 * The tools that `full` lists: all of them, unless `auto` lists them because search is off. Then those that fit into the token
 * budget, in the project's order; pinned ones always, and at least one.
 */
export function fullList(eligible: EligibleTools, settings: ResolvedDisclosure): FirstTools {
  const { list } = eligible
  if (settings.exposure !== 'auto' || settings.strategy !== null) return { shown: list, hidden: 0 }
  let room = settings.tokenBudget
  for (const tool of list) if (isPinned(tool, eligible)) room -= tokensOfTool(tool.definition)
  let hasOne = false
  const shown = list.filter((tool) => {
    if (isPinned(tool, eligible)) return true
    room -= tokensOfTool(tool.definition)
    const fits = room >= 0 || !hasOne
    hasOne = true
    return fits
  })
  return { shown: shown.length === list.length ? list : shown, hidden: list.length - shown.length }
}

function limited(listing: ToolListing): readonly ListedTool[] {
  const { eligible, settings, names, additions } = listing
  const first = limitedList(eligible, settings, names)
  if (first.hidden === 0) return shown(listing, first.shown)
  const added = new Set(additions)
  for (const tool of first.shown) added.delete(tool.key)
  const grown = Array.from(added, (key) => eligible.get(key)).filter((tool) => tool !== undefined)
  return [
    ...searchTool(listing, first.hidden),
    // Where the list cannot grow, clients call the tools that a search finds through `tool_execute`.
    ...(additions === undefined && settings.strategy !== null ? executeTools(listing) : []),
    ...shown(listing, [...first.shown, ...grown]),
  ]
}

/** Without a strategy there is no search, so the search tool is not listed. */
function searchTool({ settings, dialect }: ToolListing, hidden: number): readonly ListedTool[] {
  return settings.strategy === null ? [] : [dialect.searchTool(hidden)]
}

function executeTools({ settings, dialect }: ToolListing): readonly ListedTool[] {
  return settings.executeVariants ? [dialect.executeTool, dialect.executeReadTool] : [dialect.executeTool]
}

function shown(listing: ToolListing, tools: readonly CatalogTool[]): readonly ListedTool[] {
  const { eligible, names } = listing
  return tools.map((tool) =>
    listedTool(tool, exposedNameOf(tool, names), eligible.project, {
      hint: hintFor(tool, listing),
      hasOutputSchema: !mayCutAny(listing),
    }),
  )
}

function hintFor(tool: CatalogTool, { eligible: { project }, mode, settings }: ToolListing): LoadingHint {
  const deferring = isDeferring(mode, settings)
  if (isDeferred(tool.key, project.tools, deferring)) return 'defer'
  return deferring || project.tools.get(tool.key)?.pinned === true ? 'always' : 'none'
}

function isPinned(tool: CatalogTool, eligible: EligibleTools): boolean {
  return eligible.project.tools.get(tool.key)?.pinned === true
}

/** The tools that a list begins with. */
interface FirstTools {
  readonly shown: readonly CatalogTool[]
  /** The number of tools that are not listed. */
  readonly hidden: number
}

type Compare = (one: CatalogTool, other: CatalogTool) => number

/** Selects the first tools in the configured order; pinned tools are always selected. */
export function limitedList(eligible: EligibleTools, settings: ResolvedDisclosure, names: ExposedNames): FirstTools {
  const { list, project } = eligible
  if (list.length <= settings.maxTools) return { shown: list, hidden: 0 }
  const ordered = list.toSorted(comparing(settings.selectionOrder, eligible, names))
  const isPinned = (tool: CatalogTool): boolean => project.tools.get(tool.key)?.pinned === true
  let room = settings.maxTools - ordered.filter(isPinned).length
  const shown = ordered.filter((tool) => isPinned(tool) || room-- > 0)
  return { shown, hidden: list.length - shown.length }
}

function comparing(order: readonly SelectionOrder[], eligible: EligibleTools, names: ExposedNames): Compare {
  const rank = serverRanks(eligible)
  const byServer: Compare = (one, other) => (rank.get(one.serverId) ?? 0) - (rank.get(other.serverId) ?? 0)
  const byName: Compare = (one, other) => compareText(exposedNameOf(one, names), exposedNameOf(other, names))
  const criteria = order.map((criterion) => (criterion === 'server_priority' ? byServer : byName))
  return (one, other) => {
    for (const compare of [...criteria, byName]) {
      const difference = compare(one, other)
      if (difference !== 0) return difference
    }
    return 0
  }
}

/** Configured servers by priority, then all others. */
function serverRanks({ project, list }: EligibleTools): ReadonlyMap<string, number> {
  const ids = new Set([...project.serverIds, ...list.map((tool) => tool.serverId)])
  return new Map(Array.from(ids, (id, rank) => [id, rank]))
}

/** By code units, so that the order is the same on every machine. */
function compareText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}
