import { ToolSearchError } from '../errors.ts'
import type { IndexedTool } from './tool.ts'

/**
 * Where a tool can be called. The index stores backends and never calls them. All fields together identify one:
 * two backends with equal fields are the same backend.
 */
export type ToolBackend =
  | { readonly kind: 'mcp'; readonly serverName: string }
  | { readonly kind: 'provider'; readonly providerId: string; readonly toolId: string }
  | { readonly kind: 'local'; readonly name: string }

/** The kinds of backends. */
export type ToolBackendKind = ToolBackend['kind']

/**
 * A frozen copy of a backend, without fields that its kind does not have.
 * @throws ToolSearchError INVALID_BACKEND that names the field which is missing, empty or not a string
 */
export function readBackend(input: unknown): ToolBackend {
  try {
    return copyBackend(input)
  } catch (error) {
    if (error instanceof ToolSearchError) throw error
    throw new ToolSearchError('INVALID_BACKEND', { field: 'backend', reason: 'it cannot be read' }, { cause: error })
  }
}

function copyBackend(input: unknown): ToolBackend {
  if (typeof input !== 'object' || input === null) throw invalidBackend('backend', 'a backend is an object')
  const source = input as Readonly<Record<string, unknown>>
  const kind = source['kind']
  switch (kind) {
    case 'mcp':
      return Object.freeze({ kind, serverName: readField(source, kind, 'serverName') })
    case 'provider': {
      const providerId = readField(source, kind, 'providerId')
      return Object.freeze({ kind, providerId, toolId: readField(source, kind, 'toolId') })
    }
    case 'local':
      return Object.freeze({ kind, name: readField(source, kind, 'name') })
    default:
      throw invalidBackend('kind', "kind must be 'mcp', 'provider' or 'local'")
  }
}

function readField(source: Readonly<Record<string, unknown>>, kind: ToolBackendKind, field: string): string {
  const value = source[field]
  if (typeof value === 'string' && value.trim() !== '') return value
  throw invalidBackend(field, `a backend of kind '${kind}' needs ${field}, a non-empty string`)
}

/** Whether two backends are one and the same. */
export function isSameBackend(a: ToolBackend, b: ToolBackend): boolean {
  switch (a.kind) {
    case 'mcp':
      return b.kind === 'mcp' && a.serverName === b.serverName
    case 'provider':
      return b.kind === 'provider' && a.providerId === b.providerId && a.toolId === b.toolId
    case 'local':
      return b.kind === 'local' && a.name === b.name
  }
}

/** A backend on one line, for messages. */
export function describeBackend(backend: ToolBackend): string {
  switch (backend.kind) {
    case 'mcp':
      return `mcp ${JSON.stringify(backend.serverName)}`
    case 'provider':
      return `provider ${JSON.stringify(backend.providerId)} ${JSON.stringify(backend.toolId)}`
    case 'local':
      return `local ${JSON.stringify(backend.name)}`
  }
}

function invalidBackend(field: string, reason: string): ToolSearchError {
  return new ToolSearchError('INVALID_BACKEND', { field, reason })
}

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
