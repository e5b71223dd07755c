import type { EligibleTools } from '../access/eligible-tools.ts'
import type { CatalogTool } from '../catalog/catalog.ts'
import type { AuditedClient } from '../model/audit.ts'
import type { ClientLink, ServerRequest } from '../servers/server.ts'

/** The caller and its endpoint, for audit entries and errors. */
export interface RequestContext {
  readonly requestId: string
  readonly tokenId: string
  readonly projectId: string
  readonly endpointId: string
  /** The client program and its transport. */
  readonly from: AuditedClient
  readonly signal: AbortSignal
  readonly notify: (notification: ServerRequest) => void
  readonly client?: ClientLink
}

/** A tool call. */
export interface ToolCall {
  /** Already resolved from a key or an exposed name. */
  readonly tool: CatalogTool
  /** The tools that the caller may use; the tool must be one of them. */
  readonly eligible: EligibleTools
  readonly arguments: Readonly<Record<string, unknown>>
  /** The client's `_meta` without our own keys; progress tokens are replaced. */
  readonly meta: Readonly<Record<string, unknown>>
  /** The client's progress token; absent if it wants no progress. */
  readonly progressToken?: string | number | undefined
  /** Other fields of `params` that are passed on (`inputResponses`, `requestState`). */
  readonly extra: Readonly<Record<string, unknown>>
  readonly context: RequestContext
}
