import { setImmediate } from 'node:timers/promises'
import type { AskedTool } from '../access/named-tool.ts'
import type { AuditLog } from '../model/audit.ts'
import { GatewayError, type GatewayErrorCode, ServerReplyError } from '../errors.ts'
import type { RawResult, Server, ServerRequest } from '../servers/server.ts'
import type { RequestContext, ToolCall } from './call.ts'
import { withoutServerInfo } from './call-meta.ts'
import { jsonSize, LARGE_RESULT } from '../servers/protocol/json-size.ts'
import { mistakeResult } from './mistake-result.ts'
import { type CallIdentity, isAskedByResult, type ParkedCalls } from './parked-calls.ts'
import type { ArgumentValidator } from './validate-arguments.ts'
import { Stopwatch } from '../stopwatch.ts'
import type { Logger } from '../telemetry/logger.ts'
import { NO_TRACING, type Span, type Tracing } from '../telemetry/tracing.ts'
import { type Activities, UNWATCHED } from '../telemetry/activities.ts'

/** The servers, as far as calling needs them. */
interface CallableServers {
  get(serverId: string): Server | undefined
}

/** The collaborators of the caller. */
export interface ToolCallerParts {
  readonly servers: CallableServers
  readonly audit: AuditLog
  readonly now: () => number
  readonly parked: ParkedCalls
  readonly tracing?: Tracing
  readonly log?: Pick<Logger, 'debug'>
  readonly activities?: Activities
}

/**
 * The one path of calls: checks, validates arguments, forwards, limits, audits. All meta-tools, dialects and transports use
 * it.
 */
export class ToolCaller {
  readonly #parts: ToolCallerParts
  #arguments: ArgumentValidator | undefined

  constructor(parts: ToolCallerParts) {
    this.#parts = parts
  }

  /** The server's result byte for byte, or an `isError` result that a model can act on. @throws GatewayError for the rest */
  async call(call: ToolCall): Promise<RawResult> {
    const watch = new Stopwatch(this.#parts.now)
    const { tool } = call
    const span = this.#begin(call)
    try {
      if (!call.eligible.has(tool.key)) throw new GatewayError('TOOL_NOT_FOUND', { tool: tool.key })
      const { activities = UNWATCHED } = this.#parts
      const validator = this.#arguments ?? (await this.#loadValidator())
      const checked = activities.during(`checking the arguments of ${tool.key}`, () =>
        validator.check(tool.definition, call.arguments),
      )
      const mistakes = checked instanceof Promise ? await checked : checked
      const result =
        mistakes.length > 0 ? mistakeResult(tool, mistakes) : withoutServerInfo(await this.#forward(call, span))
      const outcome = mistakes.length > 0 ? 'INVALID_ARGUMENTS' : result['isError'] === true ? 'tool-error' : 'ok'
      const size = jsonSize(result)
      this.#record(call, watch, outcome, size)
      span.end(outcome)
      // Reading and writing a large result take long: other work runs in between.
      if (size > LARGE_RESULT) await setImmediate()
      return result
    } catch (error) {
      const outcome = outcomeOf(error)
      this.#record(call, watch, outcome, 0)
      span.end(outcome)
      throw error
    }
  }

  /** Runs one of our own tools, audited like a call. */
  async own(
    context: RequestContext,
    tool: AskedTool,
    input: unknown,
    run: () => Promise<RawResult>,
  ): Promise<RawResult> {
    const watch = new Stopwatch(this.#parts.now)
    const requestBytes = jsonSize(input ?? {})
    try {
      const result = await run()
      this.#write(context, tool, { watch, outcome: 'ok', requestBytes, resultBytes: jsonSize(result) })
      return result
    } catch (error) {
      this.#write(context, tool, { watch, outcome: outcomeOf(error), requestBytes, resultBytes: 0 })
      throw error
    }
  }

  /** Records a call that names no tool the caller may use, or that cannot be understood. */
  refused(context: RequestContext, tool: AskedTool, outcome: GatewayErrorCode): void {
    const watch = new Stopwatch(this.#parts.now)
    this.#write(context, tool, { watch, outcome, requestBytes: 0, resultBytes: 0 })
  }

  #begin({ tool, meta, context }: ToolCall): Span {
    const { tracing = NO_TRACING } = this.#parts
    return tracing.begin(`tools/call ${tool.key}`, meta, {
      'mcp.method.name': 'tools/call',
      'tooldex.server': tool.serverId,
      'tooldex.tool': tool.key,
      'tooldex.project': context.projectId,
      'tooldex.endpoint': context.endpointId,
      'tooldex.request_id': context.requestId,
    })
  }

  /** A gateway that is not called yet starts sooner without. */
  async #loadValidator(): Promise<ArgumentValidator> {
    const { ArgumentValidator } = await import('./validate-arguments.ts')
    this.#arguments ??= new ArgumentValidator(({ name }, reason) =>
      this.#parts.log?.debug({ tool: name, reason }, 'the check of arguments is left to the server'),
    )
    return this.#arguments
  }

  #forward(call: ToolCall, span: Span): Promise<RawResult> {
    const { tool, context } = call
    const server = this.#parts.servers.get(tool.serverId)
    if (server === undefined) throw new GatewayError('SERVER_NOT_FOUND', { server: tool.serverName })
    const { progressToken } = call
    const parked = this.#parkedOrParkable(call, server, span)
    if (parked !== undefined) return parked
    return server.request(requestOf(call, span.onward(call.meta)), {
      signal: context.signal,
      onNotification: context.notify,
      client: context.client,
      onProgress:
        progressToken === undefined
          ? undefined
          : (progress) => context.notify({ method: 'notifications/progress', params: { ...progress, progressToken } }),
    })
  }

  /** Continues a parked call, or begins one that may be parked; undefined if it is neither. */
  #parkedOrParkable(call: ToolCall, server: Server, span: Span): Promise<RawResult> | undefined {
    const { context, progressToken } = call
    const { client, signal, notify } = context
    const { requestState, inputResponses } = call.extra
    const isAskable = isAskedByResult(client)
    if (client === undefined || (!isAskable && requestState === undefined)) return undefined
    const round = { client, signal, notify, progressToken }
    const identity = identityOf(call)
    const going = this.#parts.parked.proceed(requestState, identity, round, inputResponses)
    if (going !== undefined || !isAskable) return going
    return this.#parts.parked.begin({
      identity,
      round,
      keptMs: server.definition.limits.maxCallTimeoutMs,
      isAwaited: () => server.isContended(),
      send: (how) => server.request(requestOf(call, span.onward(call.meta)), how),
    })
  }

  #record({ context, tool, arguments: args }: ToolCall, watch: Stopwatch, outcome: string, resultBytes: number): void {
    const asked = { serverId: tool.serverId, toolKey: tool.key }
    this.#write(context, asked, { watch, outcome, requestBytes: jsonSize(args), resultBytes })
  }

  #write(context: RequestContext, { serverId, toolKey }: AskedTool, facts: CallFacts): void {
    const { requestId, tokenId, projectId, endpointId, from } = context
    const { watch, outcome, requestBytes, resultBytes } = facts
    this.#parts.audit.record({
      kind: 'call',
      at: watch.startedAt,
      requestId,
      tokenId,
      projectId,
      endpointId,
      serverId,
      toolKey,
      outcome,
      requestBytes,
      resultBytes,
      durationMs: watch.ms,
      ...from,
    })
  }
}

interface CallFacts {
  readonly watch: Stopwatch
  readonly outcome: string
  /** 0 for a call that was refused before it was made. */
  readonly requestBytes: number
  readonly resultBytes: number
}

function requestOf({ tool, arguments: args, extra }: ToolCall, meta: ToolCall['meta']): ServerRequest {
  const params = { ...extra, name: tool.name, arguments: args }
  return { method: 'tools/call', params: Object.keys(meta).length === 0 ? params : { ...params, _meta: meta } }
}

function identityOf({ tool, arguments: args, context }: ToolCall): CallIdentity {
  const { tokenId, projectId, endpointId } = context
  return { tokenId, endpointId, what: [projectId, tool.key, args] }
}

function outcomeOf(error: unknown): string {
  if (error instanceof GatewayError) return error.code
  return error instanceof ServerReplyError ? 'server-error' : 'INTERNAL'
}
