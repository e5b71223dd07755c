import type { EligibleTools } from '../access/eligible-tools.ts'
import type { CatalogTool } from '../catalog/catalog.ts'
import type { ExposedNames } from '../access/exposed-names.ts'
import { exposedNameOf } from './listed-tool.ts'
import type { ResolvedDisclosure, SelectionOrder } from '../model/settings.ts'

/** The part of the tools that `limited` lists to begin with. */
export interface LimitedList {
  readonly shown: readonly CatalogTool[]
  /** How many others there are. With none, the list is what it would be without a limit. */
  readonly hidden: number
}

type Compare = (one: CatalogTool, other: CatalogTool) => number

/** Chooses the first tools in the order of the settings; pinned ones have a place before all others. */
export function limitedList(eligible: EligibleTools, settings: ResolvedDisclosure, names: ExposedNames): LimitedList {
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

/** Configured servers by priority, then any others as they come. */
function serverRanks({ project, list }: EligibleTools): ReadonlyMap<string, number> {
  const ids = new Set([...project.serverIds, ...list.map((tool) => tool.serverId)])
  return new Map(Array.from(ids, (id, rank) => [id, rank]))
}

/** By code units, so that every machine orders alike. */
function compareText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}
