import type { EligibleTools } from '../access/eligible-tools.ts'
import type { CatalogTool } from '../catalog/catalog.ts'
import type { GatewayErrorCode } from '../errors.ts'
import type { ClientLink, RawResult, ServerRequest } from '../servers/server.ts'

/** The caller and its endpoint, for audit entries and errors. */
export interface RequestContext {
  readonly requestId: string
  readonly tokenId: string
  readonly projectId: string
  readonly endpointId: string
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

/** Calls tools: checks, validates arguments, forwards, limits, audits. */
export interface ToolCaller {
  /** The server's result byte for byte, or an `isError` result that a model can act on. Throws GatewayError for the rest. */
  call(call: ToolCall): Promise<RawResult>
  /** Records a call that names no tool the caller may use, or that cannot be understood. `outcome` is one of our codes. */
  refused(context: RequestContext, outcome: GatewayErrorCode): void
}
