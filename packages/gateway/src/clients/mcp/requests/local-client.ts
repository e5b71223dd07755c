import { shortDescription, type Verdict } from '@tooldex/search'
import type { AuditedClient } from '../../../model/audit.ts'
import type { Endpoint } from '../../../model/endpoint.ts'
import type { Principal } from '../../../model/principal.ts'
import { noticeOf } from '../../../dialects/own-tools.ts'
import { signature } from '../../../dialects/signature.ts'
import { descriptionOf, type ListedTool } from '../../../exposure/listed-tool.ts'
import { anthropicSnippet, openAiSnippet } from '../../../exposure/connect-snippets.ts'
import type { StrategySetting } from '../../../model/settings.ts'
import type { ToolSearch } from '../../../search/tool-search.ts'
import { withoutRaw } from '../../../servers/protocol/raw-json.ts'
import type { RawResult } from '../../../servers/server.ts'
import { LATEST_LEGACY_VERSION, MODERN_VERSION } from '../protocol-versions.ts'
import { newRequestId } from '../caller.ts'
import type { EndpointViews } from './endpoint-view.ts'
import type { GatewayRequests } from './gateway-requests.ts'
import type { Caller, RpcMessage } from './request-handler.ts'
import type { ToolRequests } from './tool-requests.ts'

/** A search from the command line. */
export interface FindOptions {
  readonly principal: Principal
  /** The program that asks, for the audit log; by default a command. */
  readonly from?: AuditedClient
  readonly endpointId?: string
  readonly maxResults?: number
  readonly strategy?: Exclude<StrategySetting, null>
  /** A look at how search answers: not part of the audit log and its figures. */
  readonly isPreview?: boolean
}

/** A found tool, ready to be printed. */
export interface FoundHit {
  readonly toolKey: string
  readonly toolName: string
  readonly serverName: string
  readonly description?: string
  readonly signature: string
  readonly relevance: number
  readonly explanation?: string
}

/** The outcome of a search. */
export interface Found {
  readonly hits: readonly FoundHit[]
  readonly answeredBy: string
  /** Whether a tool serves the request; absent where nothing was asked. */
  readonly verdict?: Verdict
  readonly degraded?: string
  /** Why the answer is empty or incomplete. */
  readonly notice?: string
  readonly ms: number
}

/** Parts of requests to the model APIs that connect an endpoint, by API. */
export interface ModelApiSnippets {
  readonly anthropic: Readonly<Record<string, unknown>>
  readonly openai: Readonly<Record<string, unknown>>
}

/** The collaborators of `LocalClient`. */
interface LocalClientParts {
  readonly views: EndpointViews
  readonly search: ToolSearch
  readonly requests: GatewayRequests
  readonly tools: ToolRequests
  readonly version: string
}

/** The gateway as its own client, for commands. They have the rights of their principal. */
export class LocalClient {
  readonly #parts: LocalClientParts
  readonly #command: AuditedClient

  constructor(parts: LocalClientParts) {
    this.#parts = parts
    this.#command = { transport: 'command-line', clientName: 'tooldex', clientVersion: parts.version }
  }

  async find(queries: readonly string[], endpoint: Endpoint, options: FindOptions): Promise<Found> {
    const caller = localCaller(options.principal, endpoint, options.from ?? this.#command)
    const view = this.#parts.views.viewOf(caller)
    const strategy = options.strategy ?? view.settings.strategy ?? 'bm25'
    const started = performance.now()
    const outcome = await this.#parts.search.search(
      view.tools,
      { ...view.settings, strategy, searchThreshold: 0 },
      { queries, maxResults: options.maxResults ?? 10, explain: true, whenBlank: 'first-tools', detail: 'summary' },
      {
        requestId: caller.requestId,
        tokenId: options.principal.tokenId,
        projectId: view.project.id,
        endpointId: endpoint.id,
        from: caller.from,
        signal: caller.signal,
        ...(options.isPreview === true && { isPreview: true }),
      },
    )
    const ms = performance.now() - started
    const notice = noticeOf(outcome)
    const noted = { ...(notice !== undefined && { notice }) }
    if (outcome.state === 'off') return { hits: [], answeredBy: 'none', ms, ...noted }
    const hits = outcome.found.map(({ tool, relevance, explanation }) => {
      const description = shortDescription(descriptionOf(tool, view.project))
      return {
        toolKey: tool.key,
        toolName: tool.name,
        serverName: tool.serverName,
        ...(description !== undefined && { description }),
        signature: signature(tool.name, tool.definition.inputSchema),
        relevance,
        ...(explanation !== undefined && { explanation }),
      }
    })
    const { answeredBy, degraded, verdict } = outcome
    return {
      hits,
      answeredBy,
      ms,
      ...(verdict !== undefined && { verdict }),
      ...(degraded !== undefined && { degraded: degraded.reason }),
      ...noted,
    }
  }

  /** Snippets for the list that a client of the endpoint gets. */
  snippets(endpoint: Endpoint, principal: Principal, url: string): ModelApiSnippets {
    const caller = localCaller(principal, endpoint, this.#command)
    const view = this.#parts.views.viewOf(caller)
    const { mode, settings, dialect } = view
    const listed = this.#parts.tools.listFor(view, caller)
    const basis = { url, label: 'tooldex', mode, settings, dialect, listed }
    return { anthropic: anthropicSnippet(basis), openai: openAiSnippet(basis) }
  }

  /** The list that a client of the endpoint gets. */
  list(endpoint: Endpoint, principal: Principal): readonly ListedTool[] {
    const caller = localCaller(principal, endpoint, this.#command)
    return this.#parts.tools.listFor(this.#parts.views.viewOf(caller), caller)
  }

  /** Calls a tool by any of its names, independently of the endpoint's exposure. */
  async call(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    endpoint: Endpoint,
    principal: Principal,
    from: AuditedClient = this.#command,
    person: Person = {},
  ): Promise<RawResult> {
    const params = {
      name: tool,
      arguments: args,
      ...(person.onProgress !== undefined && { _meta: { progressToken: PROGRESS_TOKEN } }),
    }
    return this.request({ method: 'tools/call', params }, endpoint, principal, from, person)
  }

  /** Any request of a client, such as `prompts/get`. */
  async request(
    message: RpcMessage,
    endpoint: Endpoint,
    principal: Principal,
    from: AuditedClient = this.#command,
    person: Person = {},
  ): Promise<RawResult> {
    // A person reads the result, not a model.
    const disclosure = { ...endpoint.disclosure, directCalls: true, resultBudget: 'off' } as const
    const caller = localCaller(principal, { ...endpoint, disclosure }, from, person)
    return withoutRaw(await this.#parts.requests.handle(message, caller))
  }
}

/** A person who waits for an answer, and what they can do meanwhile. */
export interface Person {
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: Readonly<Record<string, unknown>>) => void
  /** Answers the server's questions. */
  readonly ask?: NonNullable<Caller['ask']>
}

const PROGRESS_TOKEN = 'try'

function localCaller(principal: Principal, endpoint: Endpoint, from: AuditedClient, person: Person = {}): Caller {
  const { signal = new AbortController().signal, onProgress, ask } = person
  return {
    principal,
    endpoint,
    // Only clients of the older era are asked while a call is open.
    ...(ask === undefined
      ? { era: 'modern' as const, protocolVersion: MODERN_VERSION, clientCapabilities: {} }
      : { era: 'legacy' as const, protocolVersion: LATEST_LEGACY_VERSION, clientCapabilities: ANSWERED, ask }),
    requestId: newRequestId(),
    from,
    signal,
    notify: ({ method, params }) => {
      if (method === 'notifications/progress' && params !== undefined) onProgress?.(params)
    },
  }
}

/** What a person can be asked. */
const ANSWERED = { elicitation: { form: {}, url: {} }, sampling: {} }
