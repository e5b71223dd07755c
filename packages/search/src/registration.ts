import type { NewEntry } from './index-draft.ts'
import { readList } from './search-arguments.ts'
import type { IndexedTool } from './tool.ts'
import { isSameBackend, readBackend, type ToolBackend } from './tool-backend.ts'
import type { ToolRegistration } from './tool-index.ts'
import { invalidTool, readTool } from './tool-validation.ts'

/**
 * Checks a list of registrations, one by one as they are asked for. Neighbours with equal backends share one list of
 * them, which saves memory where thousands of tools are registered server by server.
 * @throws ToolSearchError INVALID_TOOL, INVALID_BACKEND, INVALID_ARGUMENTS
 */
export function* readRegistrations(registrations: unknown): Iterable<NewEntry> {
  let shared: readonly [ToolBackend] | undefined
  for (const [position, input] of readList(registrations, 'registrations').entries()) {
    const { tool, backend } = readRegistration(input, position)
    if (shared === undefined || !isSameBackend(shared[0], backend)) shared = Object.freeze([backend] as const)
    yield { tool, backends: shared }
  }
}

function readRegistration(input: unknown, position: number): { tool: IndexedTool; backend: ToolBackend } {
  const { tool, backend } = open(input, position)
  return { tool: readTool(tool, position), backend: readBackend(backend) }
}

function open(input: unknown, position: number): ToolRegistration {
  try {
    const { tool, backend } = input as ToolRegistration
    return { tool, backend }
  } catch (cause) {
    throw invalidTool(`#${position}`, 'registration', 'must be an object with tool and backend', cause)
  }
}
