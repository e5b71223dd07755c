import type { ToolFilter } from '../search-provider.ts'
import type { IndexedTool } from '../tool.ts'

/** The one form in which providers that look at tool after tool use a filter. No filter lets every tool pass. */
export function compileFilter(filter: ToolFilter | undefined): (tool: IndexedTool) => boolean {
  if (filter === undefined) return () => true
  if (typeof filter === 'function') return filter
  return (tool) => filter.has(tool.id)
}
