// How many tokens lists, instructions and search answers cost a model, over a catalog that no process serves.

import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { McpTool } from '@tooldex/search'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { ParkedCalls } from '../../packages/gateway/src/calls/parked-calls.ts'
import { ResultStore } from '../../packages/gateway/src/calls/results/result-store.ts'
import { ToolCaller } from '../../packages/gateway/src/calls/tool-caller.ts'
import { CatalogIndex } from '../../packages/gateway/src/catalog/search-index/catalog-index.ts'
import { definitionOf } from '../../packages/gateway/src/catalog/fake-pool.case.ts'
import { projectOf, type ServerSketch, snapshotOf } from '../../packages/gateway/src/catalog/snapshot.case.ts'
import { EndpointViews } from '../../packages/gateway/src/clients/mcp/requests/endpoint-view.ts'
import { GatewayRequests } from '../../packages/gateway/src/clients/mcp/requests/gateway-requests.ts'
import type { Caller } from '../../packages/gateway/src/clients/mcp/requests/request-handler.ts'
import { ResultRequests } from '../../packages/gateway/src/clients/mcp/requests/result-requests.ts'
import { ToolRequests } from '../../packages/gateway/src/clients/mcp/requests/tool-requests.ts'
import { sampleServers } from '../../packages/gateway/src/demo/sample-catalog.ts'
import { dialectNamed } from '../../packages/gateway/src/dialects/dialects.ts'
import { MemoryAuditLog } from '../../packages/gateway/src/audit/memory-audit-log.case.ts'
import { fixedModelSource } from '../../packages/gateway/src/model/gateway-model.ts'
import type { DialectName, DisclosureSettings, ExposureMode } from '../../packages/gateway/src/model/settings.ts'
import { ToolSearch } from '../../packages/gateway/src/search/tool-search.ts'

/** Servers with their tools and what they say of themselves. */
export type Catalog = readonly ServerSketch[]

/** The tokens of one list: as it is sent, and what most clients pass on to the model of it. */
export interface ListTokens {
  readonly exposure: string
  readonly dialect: DialectName
  readonly tools: number
  readonly sent: number
  /** Name, description and schema of each tool. */
  readonly read: number
  readonly instructions: number
}

/** The tokens of the answers to all queries. */
export interface AnswerTokens {
  readonly dialect: DialectName
  /** Of the hits; `usual` where the dialect has no choice. */
  readonly detail: string
  readonly median: number
  readonly most: number
}

/** All that `npm run tokens` prints. */
export interface Tokens {
  readonly lists: readonly ListTokens[]
  readonly answers: readonly AnswerTokens[]
}

type Result = Readonly<Record<string, unknown>>

const DIALECTS = ['router', 'mcproxy', 'metamcp'] as const satisfies readonly DialectName[]
const EXPOSURES: readonly (readonly [label: string, settings: DisclosureSettings])[] = [
  ...(['full', 'deferred', 'search-only', 'meta-tools', 'auto'] as const satisfies readonly ExposureMode[]).map(
    (exposure) => [exposure, { exposure }] as const,
  ),
  ['limited (20)', { exposure: 'limited', maxTools: 20 }],
  ['search-only + executeTool', { exposure: 'search-only', executeTool: true }],
  ['meta-tools + executeVariants', { exposure: 'meta-tools', executeVariants: true }],
]
const DETAILS: Readonly<Record<DialectName, readonly string[]>> = {
  router: ['minimal', 'summary', 'full'],
  mcproxy: ['usual'],
  metamcp: ['usual'],
}

/** The catalog of the demo. */
export function demoCatalog(): Catalog {
  return sampleServers().map(({ name, description, tools }) => ({
    id: name,
    tools: tools as readonly McpTool[],
    ...(description !== undefined && { instructions: description }),
  }))
}

/** A folder with a file for each server: the answer to its `tools/list`, or the tools alone. */
export function catalogIn(folder: string): Catalog {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'))
  return files.toSorted().map((file) => {
    const content = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { tools?: McpTool[] } | McpTool[]
    return { id: basename(file, '.json'), tools: Array.isArray(content) ? content : (content.tools ?? []) }
  })
}

/** Every tenth query of the golden set. */
function someQueries(): readonly string[] {
  const file = new URL('../../packages/search/eval/golden/queries.jsonl', import.meta.url)
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
  return lines.filter((_, index) => index % 10 === 0).map((line) => (JSON.parse(line) as { query: string }).query)
}

/** Measures a catalog in all exposures and dialects. */
export async function tokensOf(catalog: Catalog, queries: readonly string[] = someQueries()): Promise<Tokens> {
  const clients = clientsOf(catalog)
  const lists: ListTokens[] = []
  for (const [exposure, settings] of EXPOSURES) {
    for (const dialect of DIALECTS)
      lists.push({ exposure, dialect, ...(await clients({ ...settings, dialect }).list()) })
  }
  const answers: AnswerTokens[] = []
  for (const dialect of DIALECTS) {
    const client = clients({ exposure: 'meta-tools', dialect })
    for (const detail of DETAILS[dialect]) {
      const tokens: number[] = []
      for (const query of queries) tokens.push(await client.search(query, detail))
      tokens.sort((one, other) => one - other)
      answers.push({ dialect, detail, median: tokens[Math.floor(tokens.length / 2)] ?? 0, most: tokens.at(-1) ?? 0 })
    }
  }
  return { lists, answers }
}

/** Makes clients of the catalog, by the settings of their endpoint. */
function clientsOf(catalog: Catalog) {
  const snapshot = snapshotOf(catalog)
  const index = new CatalogIndex()
  for (const server of snapshot.servers) index.put(server)
  const audit = new MemoryAuditLog(10)
  const search = new ToolSearch({ provider: (strategy) => index.provider(strategy), audit, now: Date.now })
  const project = projectOf(
    'all',
    snapshot.servers.map(({ id }) => id),
  )
  const model = {
    servers: snapshot.servers.map(({ id }) => definitionOf(id)),
    serverTools: new Map(),
    trust: new Map(),
    projects: new Map([[project.id, project]]),
    endpoints: new Map(),
    tokens: new Map(),
  }
  const views = new EndpointViews({
    models: fixedModelSource(model),
    catalog: { snapshot: () => snapshot },
    troubleOf: () => undefined,
  })
  const servers = { get: () => undefined, all: () => [] }
  const parked = new ParkedCalls()
  const calls = new ToolCaller({ servers, audit, now: Date.now, parked })
  // No tool is called, so that no result is kept.
  const results = new ResultRequests(new ResultStore({ folder: 'unused', now: Date.now }), calls)
  const tools = new ToolRequests({ calls, results, search, views })
  const wait = { forLists: () => Promise.resolve(), forTool: () => Promise.resolve() }
  const requests = new GatewayRequests({ views, tools, results, servers, parked, version: '0.0.0', wait })
  return (settings: DisclosureSettings) => {
    // The ranking decides which tools an answer has; words alone need no vectors.
    const caller = callerWith({ strategy: 'bm25', ...settings })
    const { searchToolName } = dialectNamed(settings.dialect ?? 'router')
    return {
      list: async () => listTokens(await requests.handle({ method: 'tools/list' }, caller), requests.describe(caller)),
      search: async (query: string, detail: string) => {
        const args = { query, ...(detail !== 'usual' && { detail }) }
        const params = { name: searchToolName, arguments: args }
        return tokensOfText(textOf(await requests.handle({ method: 'tools/call', params }, caller)))
      },
    }
  }
}

function callerWith(disclosure: DisclosureSettings): Caller {
  return {
    principal: { tokenId: 'tokens', name: 'tokens', readOnly: false },
    endpoint: { id: `e${JSON.stringify(disclosure)}`, projectId: 'all', disclosure, auth: 'token', transparent: false },
    era: 'modern',
    protocolVersion: '2026-07-28',
    requestId: 'r',
    from: { transport: 'stateless-http' },
    clientCapabilities: {},
    signal: new AbortController().signal,
    notify: () => undefined,
  }
}

function listTokens(result: Result, { instructions = '' }: { readonly instructions?: string }) {
  const tools = result['tools'] as readonly Result[]
  const read = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
  return {
    tools: tools.length,
    sent: tokensOfText(JSON.stringify(tools)),
    read: tokensOfText(JSON.stringify(read)),
    instructions: tokensOfText(instructions),
  }
}

function textOf({ content }: Result): string {
  return (content as readonly { readonly text?: string }[]).map(({ text = '' }) => text).join('\n')
}

function tokensOfText(text: string): number {
  return encode(text).length
}
