import { isReadOnly } from '../../../access/eligible-tools.ts'
import { askedTool, namedTool } from '../../../access/named-tool.ts'
import { metaForServer } from '../../../calls/call-meta.ts'
import type { RequestContext } from '../../../calls/call.ts'
import type { ToolCaller } from '../../../calls/tool-caller.ts'
import { errorResult } from '../../../calls/mistake-result.ts'
import type { CatalogTool } from '../../../catalog/catalog.ts'
import { serversLine } from '../../../dialects/first-sight.ts'
import { ownToolCalled, type OwnToolKind } from '../../../dialects/dialects.ts'
import { EXECUTE_TOOL_NAME, readExecute } from '../../../dialects/execute-tool.ts'
import { invalidArguments } from '../../../dialects/own-tools.ts'
import { isReadResult } from '../../../dialects/read-result-tool.ts'
import { GatewayError, type GatewayErrorCode } from '../../../errors.ts'
import { mayCallByName, takesCallsByName } from '../../../exposure/decide-exposure.ts'
import type { ListGiven } from '../../../exposure/context-costs.ts'
import { isDeferred, isDeferring, type ListedTool } from '../../../exposure/listed-tool.ts'
import { limitedList, listsEverything, listTools } from '../../../exposure/list-tools.ts'
import { SessionAdditions } from '../../../exposure/session-additions.ts'
import { pageOf } from '../../../list-page.ts'
import type { ListReader } from '../../../model/context-cost.ts'
import type { DebugLog, ToolSearch } from '../../../search/tool-search.ts'
import type { RawResult } from '../../../servers/server.ts'
import { RPC_CODE } from '../json-rpc.ts'
import { answerSearch } from './answer-search.ts'
import { SessionReading } from './session-reading.ts'
import { type EndpointView, type EndpointViews, listReader } from './endpoint-view.ts'
import { clientLinkOf } from './forwarder.ts'
import { ParameterHeaders } from './parameter-headers.ts'
import { type Caller, type Lister, RpcError } from './request-handler.ts'
import type { ResultRequests } from './result-requests.ts'

type Params = Readonly<Record<string, unknown>>
type ExecuteKind = Exclude<OwnToolKind, 'search' | 'read-result'>

/** Measures the context that lists and results take. */
interface ContextMeter {
  listed(reader: ListReader, given: ListGiven): void
  searched(reader: ListReader, result: RawResult): void
  calledDeferred(reader: ListReader, tool: CatalogTool): void
}

/** The collaborators of `ToolRequests`. */
interface ToolRequestParts {
  readonly calls: ToolCaller
  readonly search: ToolSearch
  readonly results: ResultRequests
  readonly log?: DebugLog
  /** Called with the number of eligible tools for each list. */
  readonly onEligible?: (projectId: string, count: number) => void
  /** Measures what goes into the contexts of models. */
  readonly costs?: ContextMeter
  /** Remembers which kind of list each caller was given. */
  readonly views?: Pick<EndpointViews, 'listGiven' | 'gaveOwnTools'>
}

/** Many clients read the first page only, so that a list has pages only where it is too long for any of them. */
const PAGE = 1_000

/** `tools/list` and `tools/call`, the gateway's own tools included. */
export class ToolRequests {
  readonly #parts: ToolRequestParts
  readonly #additions = new SessionAdditions()
  readonly #reading = new SessionReading()
  readonly #parameters = new ParameterHeaders()
  /** Lists that do not depend on a session, by their inputs. */
  readonly #lists = new WeakMap<EndpointView['names'], Map<string, readonly ListedTool[]>>()

  constructor(parts: ToolRequestParts) {
    this.#parts = parts
  }

  /** @param cursor of the page before; the first page counts as the list. @throws RpcError for a cursor that is not ours */
  list(view: EndpointView, caller: Caller, cursor?: unknown): RawResult {
    if (cursor === undefined) this.#reading.keepLine(caller, serversLine(view.tools, false))
    const tools = this.listFor(view, caller)
    if (cursor === undefined) this.#noteList(view, caller, tools)
    const isWhole = cursor === undefined && tools.length <= PAGE
    if (isWhole) return { tools }
    const ask = typeof cursor === 'string' || cursor === undefined ? { limit: PAGE, cursor } : undefined
    const page = ask && pageOf(tools, ({ name }) => name, ask)
    if (page === undefined)
      throw new RpcError(RPC_CODE.invalidParams, 'Invalid params: the cursor is not one of this list')
    return { tools: page.items, ...(page.nextCursor !== undefined && { nextCursor: page.nextCursor }) }
  }

  #noteList(view: EndpointView, caller: Caller, tools: readonly ListedTool[]): void {
    this.#parts.views?.listGiven(caller, view)
    this.#parts.onEligible?.(view.project.id, view.tools.size)
    const { tools: eligible, mode, settings } = view
    const isWhole = listsEverything({ eligible, mode, settings })
    this.#parts.costs?.listed(listReader(caller, view.project.id), { listed: tools, eligible, isWhole })
    this.#logList(view, caller, tools.length)
  }

  /** The list that a client gets, without measuring it. */
  listFor(view: EndpointView, caller: Lister): readonly ListedTool[] {
    return this.#reading.withLine(this.#listFor(view, caller), view.dialect.searchToolName, caller.sessionId)
  }

  #listFor(view: EndpointView, caller: Lister): readonly ListedTool[] {
    const additions = this.#growsFor(view, caller) ? this.#additions.of(caller.sessionId ?? '') : undefined
    if (additions !== undefined && additions.length > 0) return this.#listed(view, additions)
    const lists = this.#lists.get(view.names) ?? new Map<string, readonly ListedTool[]>()
    this.#lists.set(view.names, lists)
    const key = JSON.stringify([view.mode, view.settings, view.dialect.name, additions !== undefined])
    const known = lists.get(key) ?? this.#listed(view, additions)
    lists.set(key, known)
    return known
  }

  /** The tools that searches added to the list of a session. */
  addedTo(sessionId: string | undefined): readonly CatalogTool['key'][] {
    return sessionId === undefined ? [] : this.#additions.of(sessionId)
  }

  restoreAdded(sessionId: string, keys: readonly CatalogTool['key'][]): void {
    this.#additions.restore(sessionId, keys)
  }

  /** @throws RpcError and GatewayError, also synchronously */
  call(params: Params, view: EndpointView, caller: Caller): Promise<RawResult> {
    const name = params['name']
    if (typeof name !== 'string') throw new RpcError(RPC_CODE.invalidParams, 'tools/call needs the name of a tool')
    const own = this.#ownTool(name, view, caller)
    if (own === 'search') return this.#searchTools(params, view, caller)
    if (own === 'read-result')
      return this.#parts.results.read(params['arguments'], view, caller, contextOf(view, caller))
    if (own !== undefined) return this.#execute(own, params, view, caller)
    const [tool, args] = this.#audited(name, view, caller, () => this.#called(name, params, view, caller))
    return this.#callTool(tool, args, params, view, caller, false)
  }

  /** Whether the list is the same whatever tools there are: servers that are still starting add nothing to it. */
  listsOwnToolsOnly({ settings, project, dialect }: EndpointView): boolean {
    const isFixed = settings.exposure === 'meta-tools' || settings.exposure === 'search-only'
    const hasPinned = [...project.tools.values()].some(({ pinned }) => pinned === true)
    return isFixed && !hasPinned && dialect.searchTool(1) === dialect.searchTool(1_000)
  }

  /**
   * What a call lacks while servers are still starting: `lists` for a search, the names of the servers that may have the tool
   * that it names, or nothing.
   */
  lackingFor(params: Params, view: EndpointView, caller: Caller): 'lists' | readonly string[] | undefined {
    const name = params['name']
    const own = typeof name === 'string' ? this.#ownTool(name, view, caller) : undefined
    if (own === 'search') return 'lists'
    const reading = own !== undefined ? readExecute(params['arguments']) : { value: { toolKey: name } }
    const wanted = 'value' in reading ? reading.value.toolKey : undefined
    if (typeof wanted !== 'string' || own === 'read-result' || (own !== undefined && isReadResult(wanted)))
      return undefined
    try {
      namedTool(wanted, view.named)
      return undefined
    } catch (error) {
      const isStarting = error instanceof GatewayError && error.code === 'SERVER_STARTING'
      return isStarting ? (error.details['servers'] as readonly string[]) : undefined
    }
  }

  sessionClosed(sessionId: string): void {
    this.#additions.forget(sessionId)
    this.#reading.forget(sessionId)
  }

  #logList({ mode, modeReason, tools }: EndpointView, { requestId, endpoint }: Caller, listed: number): void {
    const { log } = this.#parts
    if (log?.isLevelEnabled('debug') !== true) return
    const facts = { requestId, endpointId: endpoint.id, exposure: mode, reason: modeReason }
    log.debug({ ...facts, eligible: tools.size, listed }, 'listed tools')
  }

  #listed(view: EndpointView, additions: readonly CatalogTool['key'][] | undefined): readonly ListedTool[] {
    const { tools: eligible, mode, settings, dialect, names } = view
    return listTools({ eligible, mode, settings, dialect, names, ...(additions !== undefined && { additions }) })
  }

  #called(name: string, params: Params, view: EndpointView, caller: Caller): readonly [CatalogTool, Params] {
    const tool = this.#toolByName(name, view)
    const args = argumentsIn(params)
    const { mode, settings } = view
    // A client that was not shown a tool cannot know its header parameters.
    const isListed = mode === 'deferred' || listsEverything({ mode, settings, eligible: view.tools })
    this.#parameters.check(tool.definition, args, { headers: caller.parameterHeaders, mayBeMissing: !isListed })
    return [tool, args]
  }

  /** A name that may not be called is answered like one that does not exist. */
  #toolByName(name: string, view: EndpointView): CatalogTool {
    try {
      const tool = namedTool(name, view.named)
      if (mayCallByName(tool, view.project, view.mode, view.settings)) return tool
    } catch (error) {
      if (!(error instanceof GatewayError) || error.code !== 'TOOL_NOT_FOUND') throw error
      if (takesCallsByName(view.mode, view.settings))
        throw new RpcError(RPC_CODE.invalidParams, `Unknown tool: ${name}`, dataOf(error))
    }
    const remedy = `Find it with ${view.dialect.searchToolName} and run it with ${view.dialect.executeTool.name}`
    throw new RpcError(RPC_CODE.invalidParams, `Unknown tool: ${name}`, { code: 'TOOL_NOT_FOUND', remedy })
  }

  async #searchTools(params: Params, view: EndpointView, caller: Caller): Promise<RawResult> {
    const listGrows = this.#growsFor(view, caller)
    const { dialect, tools: eligible, settings, mode } = view
    this.#parts.onEligible?.(view.project.id, eligible.size)
    const toldServers = this.#reading.told(caller.sessionId)
    const {
      result,
      found,
      told = [],
    } = await answerSearch(this.#parts.search, {
      dialect,
      input: params['arguments'],
      eligible,
      settings,
      mode,
      names: () => view.names,
      listGrows,
      ...(toldServers !== undefined && { toldServers }),
      context: { ...contextOf(view, caller), meta: metaForServer(params['_meta']) },
    })
    this.#reading.tell(caller.sessionId, told)
    this.#parts.costs?.searched(listReader(caller, view.project.id), result)
    if (listGrows && caller.sessionId !== undefined) {
      const shown = new Set(limitedList(eligible, settings, view.names).shown.map((tool) => tool.key))
      const changed = this.#additions.add(caller.sessionId, found, (key) => shown.has(key))
      if (changed) caller.notify({ method: 'notifications/tools/list_changed' })
    }
    return result
  }

  /** Turns gateway errors into results, because models read those while many clients drop protocol errors. */
  async #execute(own: ExecuteKind, params: Params, view: EndpointView, caller: Caller): Promise<RawResult> {
    const { executeTool, executeReadTool } = view.dialect
    const reading = readExecute(params['arguments'])
    if ('mistake' in reading) {
      this.#refused(writtenKey(params), view, caller, 'INVALID_ARGUMENTS')
      return invalidArguments(own === 'execute' ? executeTool : executeReadTool, reading.mistake)
    }
    const { toolKey } = reading.value
    if (isReadResult(toolKey))
      return this.#parts.results.read(reading.value.arguments, view, caller, contextOf(view, caller))
    try {
      const tool = this.#audited(toolKey, view, caller, () => {
        const named = namedTool(toolKey, view.named)
        if (own === 'execute-read' && !isReadOnly(named)) throw notReadOnly(named, executeTool.name)
        return named
      })
      return await this.#callTool(tool, reading.value.arguments, params, view, caller, true)
    } catch (error) {
      if (error instanceof GatewayError && error.code !== 'CALL_CANCELLED') return errorResult(error)
      throw error
    }
  }

  /** Audits a failure before the call like a failed call. */
  #audited<Value>(asked: string, view: EndpointView, caller: Caller, prepare: () => Value): Value {
    try {
      return prepare()
    } catch (error) {
      this.#refused(asked, view, caller, codeOf(error))
      throw error
    }
  }

  #refused(asked: string, view: EndpointView, caller: Caller, outcome: GatewayErrorCode): void {
    this.#parts.calls.refused(contextOf(view, caller), askedTool(asked, view.named), outcome)
  }

  async #callTool(
    tool: CatalogTool,
    args: Readonly<Record<string, unknown>>,
    params: Params,
    view: EndpointView,
    caller: Caller,
    isExecuted: boolean,
  ): Promise<RawResult> {
    if (caller.sessionId !== undefined) this.#additions.used(caller.sessionId, tool.key)
    if (isDeferred(tool.key, view.project.tools, isDeferring(view.mode, view.settings)))
      this.#parts.costs?.calledDeferred(listReader(caller, view.project.id), tool)
    const meta = params['_meta']
    const result = await this.#parts.calls.call({
      tool,
      eligible: view.tools,
      arguments: args,
      meta: metaForServer(meta),
      progressToken: progressTokenIn(meta),
      extra: extraIn(params),
      context: contextOf(view, caller),
    })
    return this.#parts.results.resultOf(tool, result, view, caller, {
      isExecuted,
      listsExecute: () => this.listFor(view, caller).some(({ name }) => name === EXECUTE_TOOL_NAME),
    })
  }

  #ownTool(name: string, view: EndpointView, caller: Caller): OwnToolKind | undefined {
    const own = ownToolCalled(name, view.dialect, view.settings)
    if (own === undefined) return undefined
    // Where results of tools that are called by name are cut, this one is listed even in a full list.
    const readsOn =
      own === 'read-result' && typeof view.settings.resultBudget === 'number' && !caller.endpoint.transparent
    return readsOn || this.#offersOwnTools(view, caller) ? own : undefined
  }

  /** Whether search can be called: not on a transparent endpoint, nor if the settings show the full list. */
  #offersOwnTools(view: EndpointView, caller: Caller): boolean {
    const { mode, settings } = view
    if (caller.endpoint.transparent) return false
    return mode !== 'full' || settings.exposure === 'auto' || this.#parts.views?.gaveOwnTools(caller, view) === true
  }

  #growsFor({ mode }: EndpointView, { sessionId }: Lister): boolean {
    return mode === 'limited' && sessionId !== undefined
  }
}

/** The caller for audit entries and errors. */
export function contextOf(view: EndpointView, caller: Caller): RequestContext {
  return {
    requestId: caller.requestId,
    tokenId: caller.principal.tokenId,
    projectId: view.project.id,
    endpointId: caller.endpoint.id,
    from: caller.from,
    signal: caller.signal,
    notify: caller.notify,
    client: clientLinkOf(caller),
  }
}

function notReadOnly({ key }: CatalogTool, executeToolName: string): GatewayError {
  return new GatewayError('TOOL_NOT_READ_ONLY', {
    tool: key,
    reason: `${key} is not annotated as read-only`,
    remedy: `Run it with ${executeToolName}`,
  })
}

/** The tool that an unreadable `tool_execute` names. */
function writtenKey(params: Params): string {
  const args = params['arguments']
  const key = typeof args === 'object' && args !== null ? (args as Params)['toolKey'] : undefined
  return typeof key === 'string' ? key.trim() : ''
}

function argumentsIn(params: Params): Readonly<Record<string, unknown>> {
  const args = params['arguments'] ?? {}
  if (typeof args === 'object' && !Array.isArray(args)) return args as Readonly<Record<string, unknown>>
  throw new RpcError(RPC_CODE.invalidParams, 'The arguments of a tool call are an object', {
    code: 'INVALID_ARGUMENTS',
  })
}

const USUAL_PARAMS: ReadonlySet<string> = new Set(['name', 'arguments', '_meta'])
const NO_EXTRA: Params = Object.freeze({})

/** Parameters that are forwarded unchanged; mostly none. */
function extraIn(params: Params): Params {
  for (const key in params) {
    if (USUAL_PARAMS.has(key)) continue
    const { name: _name, arguments: _arguments, _meta, ...extra } = params
    return extra
  }
  return NO_EXTRA
}

function progressTokenIn(meta: unknown): string | number | undefined {
  if (typeof meta !== 'object' || meta === null) return undefined
  const { progressToken } = meta as { progressToken?: unknown }
  return typeof progressToken === 'string' || typeof progressToken === 'number' ? progressToken : undefined
}

/** The gateway's protocol errors carry the code in their data. */
function codeOf(error: unknown): GatewayErrorCode {
  if (error instanceof GatewayError) return error.code
  const code = error instanceof RpcError ? (error.data as { code?: GatewayErrorCode } | undefined)?.code : undefined
  return code ?? 'INTERNAL'
}

function dataOf({ code, details }: GatewayError): Readonly<Record<string, unknown>> {
  return { code, ...details }
}
