// A fake gateway for the tests of commands, and a context that records their output.
import { PassThrough } from 'node:stream'
import type { CatalogServer, CatalogSnapshot, CatalogTool } from '../catalog/catalog.ts'
import type { ToolKey } from '../model/tool-key.ts'
import type { ServerState } from '../model/server.ts'
import type { AssembleOptions } from '../assemble.ts'
import type { FindOptions } from '../clients/mcp/requests/local-client.ts'
import type { CommandContext, CommandGateway } from './gateway/context.ts'

/** The requests that the fake gateway received. */
export interface Asked {
  readonly assembled: AssembleOptions[]
  /** The endpoints whose lists were made. */
  readonly listed: string[]
  readonly finds: { readonly queries: readonly string[]; readonly options: FindOptions }[]
  readonly calls: { readonly tool: string; readonly args: unknown; readonly endpointId?: string }[]
  stopped: number
}

/** The behaviour of the fake gateway. */
export interface FakeOptions {
  readonly tools?: readonly string[]
  /** Known after `met`. */
  readonly unmetTools?: readonly string[]
  readonly states?: Readonly<Record<string, ServerState>>
  readonly call?: (tool: string) => Promise<Readonly<Record<string, unknown>>>
  readonly url?: string
  /** The output is a terminal and a person reads it. */
  readonly isScreen?: boolean
}

/** A gateway that records its requests. */
function fakeGateway(asked: Asked, fake: FakeOptions) {
  const { tools = ['a:one'], unmetTools = [], states = {}, call, url = 'http://127.0.0.1:1' } = fake
  return (options: AssembleOptions): CommandGateway => {
    asked.assembled.push(options)
    let isMet = false
    const status = (id: string) => {
      const state = states[id] ?? 'running'
      const lastError = { code: 'SERVER_CRASHED', message: `${id} ended`, at: 2 }
      return { id, name: id, state, since: 1, restarts: 0, ...(state === 'failed' && { lastError }) }
    }
    return {
      models: options.models,
      pool: {
        get: () => undefined,
        all: () =>
          options.models
            .current()
            .servers.map((definition) => ({ ...inert, definition, status: () => status(definition.id) })),
        reconcile: async () => {},
        onEvent: () => () => {},
        tryOut: async () => ({ logs: [] }),
        stop: async () => {},
      },
      catalog: {
        snapshot: () => snapshotOf(isMet ? [...tools, ...unmetTools] : tools),
        provider: () => {
          throw new Error('not asked in these tests')
        },
        onChange: () => () => {},
        ready: async () => {},
        met: async () => {
          isMet = true
        },
      },
      listen: async () => ({ url, port: 1 }),
      startServers: async () => {},
      serveStdio: async () => {},
      signInCode: () => undefined,
      list: (endpointId: string) => {
        asked.listed.push(endpointId)
        return []
      },
      held: () => [],
      snippets: (_, at) => ({ anthropic: { at }, openai: { at } }),
      async find(queries, findOptions) {
        asked.finds.push({ queries, options: findOptions })
        const hits = (isMet ? [...tools, ...unmetTools] : tools).map((toolKey) => ({
          toolKey,
          toolName: toolKey,
          serverName: 'a',
          signature: '',
          relevance: 0.5,
          explanation: 'because\u001b[2J',
        }))
        return { hits, answeredBy: 'bm25', ms: 0.25 }
      },
      async call(tool, args, { endpointId }) {
        asked.calls.push({ tool, args, ...(endpointId !== undefined && { endpointId }) })
        return call === undefined ? { content: [{ type: 'text', text: 'done' }] } : call(tool)
      },
      requestsUnderWay: 0,
      drain: async () => {},
      stop: async () => {
        asked.stopped++
      },
    }
  }
}

/** A context with the fake gateway and a terminal that records its output. */
export function fakeContext(cwd: string, fake: FakeOptions = {}, variables: Record<string, string> = {}) {
  const [out, err]: [string[], string[]] = [[], []]
  const asked: Asked = { assembled: [], listed: [], finds: [], calls: [], stopped: 0 }
  let askToStop = (): void => {}
  const stopped = new Promise<string>((resolve) => {
    askToStop = () => resolve('SIGTERM')
  })
  const input = new PassThrough()
  const context: CommandContext = {
    environment: { variables, cwd, home: cwd },
    terminal: {
      out: (text) => out.push(text),
      err: (text) => err.push(text),
      draw: (text) => err.push(text),
      width: 100,
      colours: false,
      isScreen: fake.isScreen ?? false,
      interactive: fake.isScreen ?? false,
    },
    version: '1.2.3',
    loadAssemble: async () => fakeGateway(asked, fake),
    fetch,
    now: () => 1_000,
    signals: { stop: () => stopped, stopNow: () => new Promise(() => {}), onReload: () => () => {} },
    streams: { input, output: new PassThrough() },
  }
  return { context, asked, input, askToStop: () => askToStop(), out: () => out.join(''), err: () => err.join('') }
}

const inert = {
  capabilities: () => undefined,
  instructions: () => undefined,
  request: async () => ({}),
  start: async () => {},
  stop: async () => {},
  restart: async () => {},
  remarks: () => [],
  logs: () => [],
  notify: () => {},
  asksClients: () => false,
  rememberAsking: () => {},
  isContended: () => false,
  closeSession: async () => {},
}

function snapshotOf(keys: readonly string[]): CatalogSnapshot {
  const tools = keys.map((key): CatalogTool => {
    const [serverId = '', name = ''] = key.split(':')
    const definition = { name, description: 'x'.repeat(40), inputSchema: { type: 'object' } }
    return { key: key as ToolKey, serverId, serverName: serverId, name, definition, repairs: [] }
  })
  const servers = [...Map.groupBy(tools, ({ serverId }) => serverId)].map(
    ([id, own]): CatalogServer => ({
      id,
      name: id,
      state: 'running',
      tools: new Map(own.map((tool) => [tool.name, tool])),
      prompts: [],
      resources: [],
      resourceTemplates: [],
      isLastGood: false,
    }),
  )
  return { version: 1, servers, tools: new Map(tools.map((tool) => [tool.key, tool])) }
}
