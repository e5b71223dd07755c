import { setImmediate } from 'node:timers/promises'
import type { ParkedCalls } from '../../../calls/parked-calls.ts'
import { type Activities, UNWATCHED } from '../../../telemetry/activities.ts'
import { serversLine } from '../../../dialects/first-sight.ts'
import { fullList, listsEverything } from '../../../exposure/list-tools.ts'
import type { ToolKey } from '../../../model/tool-key.ts'
import type { Server } from '../../../servers/server.ts'
import type { EndpointView, EndpointViews } from './endpoint-view.ts'
import { type Forwarder, forwarderTo } from './forwarder.ts'
import type { ListChanges } from './list-changes.ts'
import { getPrompt, listPrompts, promptNamed } from './prompt-requests.ts'
import { type Caller, type ListKind, type RequestHandler, RpcError, type RpcMessage } from './request-handler.ts'
import { LOG_LEVELS, RPC_CODE } from '../json-rpc.ts'
import {
  listResources,
  listResourceTemplates,
  readResource,
  resourceTarget,
  subscribeResource,
} from './resource-requests.ts'
import type { StartWait } from './start-wait.ts'
import type { ResultRequests } from './result-requests.ts'
import { contextOf, type ToolRequests } from './tool-requests.ts'

type Result = Readonly<Record<string, unknown>>
type Params = Readonly<Record<string, unknown>>
type Answer = (params: Params, view: EndpointView, caller: Caller) => Result | Promise<Result>

/** The collaborators of `GatewayRequests`. */
export interface GatewayRequestParts {
  readonly views: EndpointViews
  readonly tools: ToolRequests
  readonly results: ResultRequests
  readonly servers: { get(serverId: string): Server | undefined; all(): readonly Server[] }
  readonly parked: ParkedCalls
  readonly version: string
  readonly activities?: Activities
  readonly wait: Pick<StartWait, 'forLists' | 'forTool'>
  /** Learns which lists sessions ask for. */
  readonly lists?: Pick<ListChanges, 'asked'>
}

const MANY_TOOLS = 1_000
const LISTS: ReadonlyMap<string, ListKind> = new Map([
  ['tools/list', 'tools'],
  ['prompts/list', 'prompts'],
  ['resources/list', 'resources'],
  ['resources/templates/list', 'resources'],
])

/** Says in a list why it is empty. */
const NOTICE_META_KEY = 'io.tooldex/notice'

/** Answers the requests of clients, for every transport and era. */
export class GatewayRequests implements RequestHandler {
  readonly #parts: GatewayRequestParts
  readonly #forward: Forwarder
  readonly #answers: ReadonlyMap<string, Answer>

  constructor(parts: GatewayRequestParts) {
    this.#parts = parts
    this.#forward = forwarderTo(parts.servers, parts.parked)
    this.#answers = new Map(Object.entries(this.#answerTable()))
  }

  describe(caller: Caller): ReturnType<RequestHandler['describe']> {
    const serverInfo = { name: 'tooldex', version: this.#parts.version }
    const view = this.#parts.views.viewOf(caller)
    if (caller.endpoint.transparent) return { serverInfo, ...this.#describeTransparent(view) }
    const instructions = [leadFor(view), serversLine(view.tools, view.mode === 'full')]
      .filter((text) => text !== undefined)
      .join('\n')
    return {
      serverInfo,
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        completions: {},
        logging: {},
      },
      ...(instructions !== '' && { instructions }),
    }
  }

  handle(request: RpcMessage, caller: Caller): Promise<Result> {
    const list = LISTS.get(request.method)
    if (list === undefined) return this.#answered(request, caller)
    const answered = this.#parts.lists?.asked(list, caller.sessionId, request.params?.['_meta'])
    return this.#answered(request, caller).finally(answered)
  }

  async #answered({ method, params = {} }: RpcMessage, caller: Caller): Promise<Result> {
    const answer = this.#answers.get(method)
    if (answer === undefined) throw new RpcError(RPC_CODE.methodNotFound, `Method not found: ${method}`)
    if (LISTS.has(method) && method !== 'tools/list' && params['cursor'] !== undefined) {
      throw new RpcError(RPC_CODE.invalidParams, 'This list has one page here; the cursor did not come from us')
    }
    const { views } = this.#parts
    let view = views.viewOf(caller, params['_meta'])
    if (view.tools.awaited.length > 0 && (await this.#hasWaited(method, params, view, caller)))
      view = views.viewOf(caller, params['_meta'])
    const { activities = UNWATCHED } = this.#parts
    activities.wake()
    // The view of a large catalog and the list of it are two turns of the event loop.
    if (method === 'tools/list' && view.tools.size > MANY_TOOLS) await setImmediate()
    const result = await activities.during(`answering ${method} at ${caller.endpoint.id}`, () =>
      answer(params, view, caller),
    )
    const { emptied } = view.project
    return emptied !== undefined && LISTS.has(method) ? { ...result, _meta: { [NOTICE_META_KEY]: emptied } } : result
  }

  /** Waits if the request concerns servers that are still starting. @returns whether it did */
  async #hasWaited(method: string, params: Params, view: EndpointView, caller: Caller): Promise<boolean> {
    const { tools, wait } = this.#parts
    if (method === 'tools/list' && tools.listsOwnToolsOnly(view)) return false
    const lacking = method === 'tools/call' ? tools.lackingFor(params, view, caller) : 'lists'
    if (lacking === undefined) return false
    if (lacking === 'lists') await wait.forLists(view, caller)
    else await wait.forTool(lacking, view, caller)
    return true
  }

  /** Only changed folders concern servers: the instances that belong to the session. */
  notified(notification: RpcMessage, { sessionId }: Caller): void {
    if (notification.method !== 'notifications/roots/list_changed' || sessionId === undefined) return
    for (const server of this.#parts.servers.all()) server.notify(sessionId, notification)
  }

  addedTo(sessionId: string): readonly string[] {
    return this.#parts.tools.addedTo(sessionId)
  }

  restoreAdded(sessionId: string, keys: readonly string[]): void {
    this.#parts.tools.restoreAdded(sessionId, keys as readonly ToolKey[])
  }

  sessionClosed(sessionId: string): void {
    this.#parts.tools.sessionClosed(sessionId)
    this.#parts.views.sessionClosed(sessionId)
    // A connection that cannot be closed ends with its server at the latest.
    for (const server of this.#parts.servers.all()) server.closeSession(sessionId).catch(() => {})
  }

  #answerTable(): Readonly<Record<string, Answer>> {
    const { tools } = this.#parts
    const forward = this.#forward
    return {
      'tools/list': ({ cursor }, view, caller) => tools.list(view, caller, cursor),
      'tools/call': (params, view, caller) => tools.call(params, view, caller),
      'prompts/list': (_, view) => listPrompts(view),
      'prompts/get': (params, view, caller) => getPrompt(params, view, caller, forward),
      'resources/list': (_, view) => listResources(view),
      'resources/templates/list': (_, view) => listResourceTemplates(view),
      'resources/read': (params, view, caller) =>
        this.#parts.results.readLink(params['uri'], view, caller, contextOf(view, caller)) ??
        readResource(params, view, caller, forward),
      'resources/subscribe': (params, view, caller) =>
        subscribeResource('resources/subscribe', params, view, { caller, forward }),
      'resources/unsubscribe': (params, view, caller) =>
        subscribeResource('resources/unsubscribe', params, view, { caller, forward }),
      'completion/complete': (params, view, caller) => this.#complete(params, view, caller),
      'logging/setLevel': (params, view, caller) => this.#setLevel(params, view, caller),
    }
  }

  #complete(params: Params, view: EndpointView, caller: Caller): Promise<Result> {
    const ref = params['ref']
    const { type, name, uri } = (typeof ref === 'object' && ref !== null ? ref : {}) as Record<string, unknown>
    const request = (known: Params): RpcMessage => ({
      method: 'completion/complete',
      params: { ...params, ref: known },
    })
    if (type === 'ref/prompt') {
      const prompt = promptNamed(name, view)
      return this.#forward(prompt.server.id, request({ ...(ref as Params), name: prompt.name }), caller)
    }
    if (type === 'ref/resource') {
      const target = resourceTarget(uri, view)
      return this.#forward(target.server.id, request({ ...(ref as Params), uri: target.uri }), caller)
    }
    throw new RpcError(RPC_CODE.invalidParams, 'completion/complete needs ref with type ref/prompt or ref/resource')
  }

  /** Sets the level at every server that logs, or at its next start; a server that refuses keeps its level. */
  async #setLevel(params: Params, view: EndpointView, caller: Caller): Promise<Result> {
    if (!LOG_LEVELS.includes(String(params['level']))) {
      throw new RpcError(RPC_CODE.invalidParams, `level is one of ${LOG_LEVELS.join(', ')}`)
    }
    const logging = view.servers.filter(({ id }) => {
      const declared = this.#parts.servers.get(id)?.capabilities()
      return declared === undefined || declared['logging'] !== undefined
    })
    await Promise.allSettled(
      logging.map((server) => this.#forward(server.id, { method: 'logging/setLevel', params }, caller)),
    )
    return {}
  }

  /** The declarations of the one server behind the endpoint, without those that the gateway cannot forward. */
  #describeTransparent({ servers }: EndpointView): { capabilities: Result; instructions?: string } {
    const [only] = servers
    const { tasks: _tasks, ...capabilities } = this.#parts.servers.get(only?.id ?? '')?.capabilities() ?? { tools: {} }
    return { capabilities, ...(only?.instructions !== undefined && { instructions: only.instructions }) }
  }
}

/** One static sentence if not all tools are listed; clients put it into the prompt. */
function leadFor({ mode, dialect, settings, tools }: EndpointView): string | undefined {
  const { hidden } = fullList(tools, settings)
  if (mode === 'full' && hidden > 0) {
    return `${hidden} more tools do not fit into the list, and tool search is off for this project. An administrator can turn it on.`
  }
  if (mode === 'full' || (mode === 'deferred' && settings.strategy === null)) return undefined
  if (mode === 'deferred') return `Tools that are not loaded yet can be found with ${dialect.searchToolName}.`
  const isComplete =
    settings.strategy === null || (mode === 'limited' && listsEverything({ eligible: tools, mode, settings }))
  if (isComplete && tools.awaited.length === 0) return undefined
  const run = mode === 'meta-tools' ? ` and run them with ${dialect.executeTool.name}` : ''
  // The list is not decided yet: clients ask for it after this.
  if (mode !== settings.exposure && tools.awaited.length > 0) {
    return `If ${dialect.searchToolName} is listed, more tools are available than are listed: find them with it${run}.`
  }
  return `More tools are available than are listed. Find them with ${dialect.searchToolName}${run}.`
}
