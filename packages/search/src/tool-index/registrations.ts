import { refuseUnknown, ToolSearchError } from '../errors.ts'
import type { NewEntry } from './index-draft.ts'
import { readList } from './search-arguments.ts'
import { isSameBackend, readBackend, type ToolBackend } from '../tool/tool-backend.ts'
import { differingMcpField } from '../tool/tool-equality.ts'
import type { ServerOptions, ToolRegistration } from './tool-index.ts'
import { checkNamespace, invalidTool, readMcpTool, readTool, type ServerContext } from '../tool/tool-validation.ts'
import type { IndexedTool } from '../tool/tool.ts'

const SERVER_OPTIONS: readonly string[] = ['description', 'tags', 'backend', 'onRefused']

/** A server's list of tools, checked. */
export interface ServerList {
  readonly namespace: string
  /** By id, in the order listed. */
  readonly tools: ReadonlyMap<string, ListedTool>
  /** One backend, in a list that all entries share. */
  readonly backends: readonly [ToolBackend]
}

interface ListedTool {
  readonly tool: IndexedTool
  readonly position: number
}

/**
 * Checks what a server lists. A tool listed twice counts once if both are the same.
 * @throws ToolSearchError INVALID_TOOL, INVALID_BACKEND, INVALID_ARGUMENTS
 */
export function readServerList(namespace: string, tools: unknown, options: ServerOptions): ServerList {
  checkNamespace(namespace)
  const context = readContext(namespace, options)
  const backend = readBackend(options.backend ?? { kind: 'mcp', serverName: namespace })

  const byId = new Map<string, ListedTool>()
  for (const [position, input] of readList(tools, 'tools').entries()) {
    orRefused(options, position, () => {
      const tool = readMcpTool(input, context, position)
      const twin = byId.get(tool.id)?.tool
      const difference = twin === undefined ? undefined : differingMcpField(twin, tool)
      if (difference !== undefined)
        throw invalidTool(tool.id, difference, 'differs between two tools of that name in one list')
      if (twin === undefined) byId.set(tool.id, { tool, position })
    })
  }
  return { namespace, tools: byId, backends: Object.freeze([backend] as const) }
}

/**
 * Has a tool of a list taken over; a lenient registration reports what is not valid and goes on.
 * @throws ToolSearchError INVALID_TOOL unless the registration is lenient
 */
export function orRefused({ onRefused }: ServerOptions, position: number, take: () => void): void {
  try {
    take()
  } catch (error) {
    if (onRefused === undefined || !(error instanceof ToolSearchError)) throw error
    onRefused({ position, error })
  }
}

function readContext(namespace: string, options: ServerOptions): ServerContext {
  refuseUnknown(options, SERVER_OPTIONS)
  const { description, tags = [] } = options
  if (description !== undefined && typeof description !== 'string') {
    throw new ToolSearchError('INVALID_ARGUMENTS', { field: 'description', reason: 'description must be a string' })
  }
  const areStrings = readList(tags, 'tags').every((tag) => typeof tag === 'string')
  if (!areStrings) throw new ToolSearchError('INVALID_ARGUMENTS', { field: 'tags', reason: 'tags must be strings' })
  return { namespace, description, tags }
}

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
