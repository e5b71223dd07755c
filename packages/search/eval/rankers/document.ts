import type { IndexedTool } from '../../src/tool/tool.ts'

/** A tool as the peers index it: flat text fields. */
export interface Document {
  readonly id: string
  readonly name: string
  readonly server: string
  readonly description: string
}

/** Flattens a tool for an engine that indexes text fields. */
export function documentOf(tool: IndexedTool): Document {
  return { id: tool.id, name: tool.name, server: tool.namespace ?? '', description: tool.description ?? '' }
}
