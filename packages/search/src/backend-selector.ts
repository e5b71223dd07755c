import type { IndexedTool } from './tool.ts'
import type { ToolBackend, ToolBackendKind } from './tool-backend.ts'

/**
 * Chooses the backend that `getTool` names. `backends` is never empty and in order of registration; `undefined` means
 * that none will do, and the tool is then not found.
 */
export type BackendSelector = (backends: readonly ToolBackend[], tool: IndexedTool) => ToolBackend | undefined

/** Prefers kinds in the order given, then kinds not named; within one kind the first registered wins. */
export function preferBackends(...kinds: readonly ToolBackendKind[]): BackendSelector {
  return (backends) => {
    for (const kind of kinds) {
      const preferred = backends.find((backend) => backend.kind === kind)
      if (preferred !== undefined) return preferred
    }
    return backends[0]
  }
}
