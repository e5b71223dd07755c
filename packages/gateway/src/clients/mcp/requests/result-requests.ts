import { isRecord, type JsonObject } from '@tooldex/http-kit/json'
import type { RequestContext } from '../../../calls/call.ts'
import { errorResult } from '../../../calls/mistake-result.ts'
import { readBlock, type Reader, readResult } from '../../../calls/results/read-result.ts'
import { RESULT_URI, ResultFitter } from '../../../calls/results/result-fitter.ts'
import { resultFor } from '../../../calls/results/result-for-client.ts'
import type { ResultStore } from '../../../calls/results/result-store.ts'
import type { ToolCaller } from '../../../calls/tool-caller.ts'
import type { CatalogTool } from '../../../catalog/catalog.ts'
import { ResourceUris } from '../../../catalog/resource-uris.ts'
import { uiResourceOf } from '../../../catalog/tool-ui.ts'
import { EXECUTE_TOOL_NAME } from '../../../dialects/execute-tool.ts'
import { invalidArguments } from '../../../dialects/own-tools.ts'
import {
  OWN_SERVER_ID,
  READ_RESULT_KEY,
  READ_RESULT_TOOL,
  READ_RESULT_TOOL_NAME,
  readReadResult,
} from '../../../dialects/read-result-tool.ts'
import { GatewayError } from '../../../errors.ts'
import { inSlices } from '../../../in-slices.ts'
import type { ResultBudget } from '../../../model/settings.ts'
import { showsUi } from '../../../servers/protocol/client-capabilities.ts'
import type { RawResult } from '../../../servers/server.ts'
import type { EndpointView } from './endpoint-view.ts'
import type { Caller } from './request-handler.ts'

/** Below what the strictest clients pass on to their model: 50,000 characters in Claude Code, 10,000 tokens in Codex. */
const AUTO_BUDGET = 10_000
const LINK = new RegExp(`^${RESULT_URI}([\\w-]+)/(\\d{1,6})$`)
const OWN = { serverId: OWN_SERVER_ID, toolKey: READ_RESULT_KEY }

/** Whether the settings want the texts of results changed; few do. */
function wantsCleaning({ hiddenCharacters, resultRemarks }: EndpointView['settings']): boolean {
  return hiddenCharacters !== 'leave' || resultRemarks
}

/** The result as the settings want its texts. The scanner is loaded where they ask for something. */
async function cleanedBy(settings: EndpointView['settings'], result: RawResult): Promise<RawResult> {
  const { cleanResult } = await import('../../../trust/scanner/clean-result.ts')
  return inSlices(cleanResult(result, settings))
}

/** How a tool was called, and how the caller can read on: through `tool_execute`, or by the name of the tool that does it. */
export interface CallWay {
  readonly isExecuted: boolean
  readonly listsExecute: () => boolean
}

/** What a client gets of a result, and how it reads the rest. */
export class ResultRequests {
  readonly #store: ResultStore
  readonly #fitter: ResultFitter
  readonly #calls: Pick<ToolCaller, 'own'>

  constructor(store: ResultStore, calls: Pick<ToolCaller, 'own'>) {
    this.#store = store
    this.#fitter = new ResultFitter(store)
    this.#calls = calls
  }

  /** The result of a server's tool for the client; unchanged on transparent endpoints. */
  resultOf(
    tool: CatalogTool,
    result: RawResult,
    view: EndpointView,
    caller: Caller,
    way: CallWay,
  ): RawResult | Promise<RawResult> {
    if (caller.endpoint.transparent) return result
    const budget = budgetFor(view.settings.resultBudget, way.isExecuted)
    const isPlain = budget === undefined && !way.isExecuted && !wantsCleaning(view.settings)
    return isPlain ? resultFor(caller.clientInfo?.['name'], result) : this.#fitted(tool, result, view, caller, way)
  }

  async #fitted(
    tool: CatalogTool,
    result: RawResult,
    view: EndpointView,
    caller: Caller,
    way: CallWay,
  ): Promise<RawResult> {
    const cleaned = wantsCleaning(view.settings) ? await cleanedBy(view.settings, result) : result
    const budget = budgetFor(view.settings.resultBudget, way.isExecuted)
    const fitting =
      budget === undefined
        ? cleaned
        : await this.#fitter.fit(cleaned, {
            budget,
            owner: ownerOf(view, caller),
            toolKey: tool.key,
            readCall: (args) => callText(args, way.isExecuted || way.listsExecute()),
          })
    const shown = way.isExecuted ? withUi(tool, fitting, view, caller) : fitting
    return resultFor(caller.clientInfo?.['name'], shown)
  }

  /** Reads on in a kept result, as a call of our own tool. Failures are results, because models read those. */
  async read(input: unknown, view: EndpointView, caller: Caller, context: RequestContext): Promise<RawResult> {
    const reading = readReadResult(input)
    try {
      return await this.#calls.own(context, OWN, input, async () => {
        if ('mistake' in reading) throw new GatewayError('INVALID_ARGUMENTS', { reason: reading.mistake })
        return readResult(this.#store, reading.value, readerOf(view, caller))
      })
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      return 'mistake' in reading ? invalidArguments(READ_RESULT_TOOL, reading.mistake) : errorResult(error)
    }
  }

  /** `resources/read` of a link in a cut result; undefined for any other URI. */
  readLink(uri: unknown, view: EndpointView, caller: Caller, context: RequestContext): Promise<RawResult> | undefined {
    const [, id, number] = typeof uri === 'string' ? (LINK.exec(uri) ?? []) : []
    if (id === undefined || caller.endpoint.transparent) return undefined
    const ask = { id, block: Number(number), uri: String(uri) }
    return this.#calls.own(context, OWN, { id, block: ask.block }, () =>
      readBlock(this.#store, ask, readerOf(view, caller)),
    )
  }
}

/**
 * A client that shows results as apps (MCP Apps) learns from the list which resource shows those of a tool. `tool_execute`
 * stands for all tools there, so that its result names the resource.
 */
function withUi(tool: CatalogTool, result: RawResult, { servers }: EndpointView, caller: Caller): RawResult {
  const uri = showsUi(caller.clientCapabilities) ? uiResourceOf(tool.definition) : undefined
  const server = servers.find(({ id }) => id === tool.serverId)
  const isWhole = (result['resultType'] ?? 'complete') === 'complete' && result['isError'] !== true
  if (uri === undefined || server === undefined || !isWhole) return result
  const { ui: declared } = (tool.definition as { readonly _meta?: JsonObject })._meta ?? {}
  const resourceUri = new ResourceUris(servers).exposedUri(server, uri)
  const meta = isRecord(result['_meta']) ? result['_meta'] : {}
  return { ...result, _meta: { ui: { ...(isRecord(declared) && declared), resourceUri }, ...meta } }
}

function budgetFor(budget: ResultBudget, isExecuted: boolean): number | undefined {
  if (budget === 'auto') return isExecuted ? AUTO_BUDGET : undefined
  return budget === 'off' ? undefined : budget
}

const ownerOf = ({ project }: EndpointView, { principal }: Caller) => ({
  tokenId: principal.tokenId,
  projectId: project.id,
})

/** A result of a tool that the caller may not use any more is out of its reach, too. */
function readerOf(view: EndpointView, caller: Caller): Reader {
  return { owner: ownerOf(view, caller), mayUse: (key) => view.tools.has(key) }
}

function callText(args: Readonly<Record<string, unknown>>, isExecuted: boolean): string {
  return isExecuted
    ? `${EXECUTE_TOOL_NAME} ${JSON.stringify({ toolKey: READ_RESULT_KEY, arguments: args })}`
    : `${READ_RESULT_TOOL_NAME} ${JSON.stringify(args)}`
}
