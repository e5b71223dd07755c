import type { EligibleTools } from '../access/eligible-tools.ts'
import type { CatalogTool } from '../catalog/catalog.ts'
import type { GatewayErrorCode } from '../errors.ts'
import type { ClientLink, RawResult, ServerRequest } from '../servers/server.ts'

/** Who asks, from where: what audit entries and errors need to know. */
export interface RequestContext {
  readonly requestId: string
  readonly tokenId: string
  readonly projectId: string
  readonly endpointId: string
  readonly signal: AbortSignal
  readonly notify: (notification: ServerRequest) => void
  readonly client?: ClientLink
}

/** A tool call on the one path that there is. */
export interface ToolCall {
  /** Already resolved by table from a key or an exposed name. */
  readonly tool: CatalogTool
  /** Proof that the caller may use it: the tool must be in here. */
  readonly eligible: EligibleTools
  readonly arguments: Readonly<Record<string, unknown>>
  /** What the client wrote beside the arguments, our own keys removed; progress tokens are minted anew. */
  readonly meta: Readonly<Record<string, unknown>>
  /** What the client wants progress reported under; absent where it does not. */
  readonly progressToken?: string | number | undefined
  /** Other fields of `params` that travel on (`inputResponses`, `requestState`). */
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
