import type { ResolvedDisclosure } from '../model/settings.ts'
import type { DecidedExposure } from './decide-exposure.ts'
import type { ListedTool } from './listed-tool.ts'

/** How to connect a client: a command, or the content of a file. */
export interface ConnectSnippet {
  readonly client: string
  readonly kind: 'command' | 'file'
  /** Where the text goes. */
  readonly file?: string
  readonly text: string
}

/** The endpoint to connect to. */
interface ConnectTarget {
  readonly url: string
  readonly token: string
  /** The endpoint's id, for clients that start the program (default: the default endpoint). */
  readonly endpointId?: string | undefined
}

/** The same in one line. */
interface ConnectLine {
  readonly client: string
  readonly text: string
}

const MODERN = '2026-07-28'
const META = 'io.modelcontextprotocol'

/** Commands for the well-known clients that have one, for `curl`, and for clients that start a program. */
export function connectCommands(target: ConnectTarget): ConnectSnippet[] {
  const { url, token, endpointId } = target
  return [
    ...remoteSnippets(target).filter(({ kind }) => kind === 'command'),
    { client: 'Plain HTTP', kind: 'command', text: curl(url, token) },
    { client: 'stdio', kind: 'command', text: [`TOOLDEX_TOKEN=${token}`, ...stdioProgram(endpointId)].join(' ') },
  ]
}

/** The command line that serves one client over stdio. @param endpointId (default: the default endpoint) */
export function stdioProgram(endpointId: string | undefined): readonly string[] {
  return ['tooldex', 'stdio', ...(endpointId === undefined ? [] : ['--endpoint', endpointId])]
}

/** One line for each client that needs only a URL. `docs/guide/connect-clients.md` has the long form. */
export function connectLines(target: ConnectTarget): ConnectLine[] {
  return remoteSnippets(target).map(({ client, file, text }) => ({
    client,
    text: file === undefined ? text.replace('\n', ' and: ') : `${file}  ${text}`,
  }))
}

function remoteSnippets({ url, token }: ConnectTarget): ConnectSnippet[] {
  const header = `Authorization: Bearer ${token}`
  const headers = { Authorization: `Bearer ${token}` }
  const command = (client: string, text: string): ConnectSnippet => ({ client, kind: 'command', text })
  return [
    command('Claude Code', `claude mcp add --transport http tooldex ${url} --header "${header}"`),
    {
      client: 'Cursor',
      kind: 'file',
      file: '~/.cursor/mcp.json',
      text: JSON.stringify({ mcpServers: { tooldex: { url, headers } } }),
    },
    command('VS Code', `code --add-mcp '${JSON.stringify({ name: 'tooldex', type: 'http', url, headers })}'`),
    command(
      'Codex',
      `export TOOLDEX_TOKEN=${token}\ncodex mcp add tooldex --url ${url} --bearer-token-env-var TOOLDEX_TOKEN`,
    ),
    command('Gemini CLI', `gemini mcp add --transport http --header "${header}" tooldex ${url}`),
  ]
}

/** A single request, because the newest revision has no sessions. */
function curl(url: string, token: string): string {
  const _meta = {
    [`${META}/protocolVersion`]: MODERN,
    [`${META}/clientInfo`]: { name: 'curl', version: '1' },
    [`${META}/clientCapabilities`]: {},
  }
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } }
  return [
    `curl ${url}`,
    `-H 'Authorization: Bearer ${token}'`,
    `-H 'Content-Type: application/json'`,
    `-H 'Accept: application/json, text/event-stream'`,
    `-H 'MCP-Protocol-Version: ${MODERN}'`,
    `-H 'Mcp-Method: tools/list'`,
    `-d '${JSON.stringify(body)}'`,
  ].join(' \\\n  ')
}

/** An endpoint and its tool list, as a client of the model API receives it. */
export interface SnippetBasis {
  readonly url: string
  /** The name of the endpoint in the request. */
  readonly label: string
  readonly mode: DecidedExposure
  readonly settings: ResolvedDisclosure
  readonly dialect: { readonly searchToolName: string }
  readonly listed: readonly ListedTool[]
}

/** The placeholder for the token; a snippet never contains a real one. */
const TOKEN_PLACEHOLDER = '<token>'

type Snippet = Readonly<Record<string, unknown>>

/**
 * The part of an Anthropic Messages request that connects the endpoint. Where tools are deferred, the API's own search finds
 * them, so the gateway's search tool is disabled and the tools that are not deferred are named.
 */
export function anthropicSnippet({ url, label, mode, settings, dialect, listed }: SnippetBasis): Snippet {
  const defers = mode === 'deferred'
  const configs = new Map<string, Snippet>()
  for (const tool of listed) {
    const isDeferred = tool['defer_loading'] === true
    if (defers && tool.name === dialect.searchToolName) configs.set(tool.name, { enabled: false })
    else if (isDeferred !== defers) configs.set(tool.name, { defer_loading: isDeferred })
  }
  const kind = settings.strategy === 'regex' ? 'regex' : 'bm25'
  const search = { type: `tool_search_tool_${kind}_20251119`, name: `tool_search_tool_${kind}` }
  const hasDeferred = listed.some((tool) => tool['defer_loading'] === true)
  return {
    betas: ['mcp-client-2025-11-20', ...(hasDeferred ? ['advanced-tool-use-2025-11-20'] : [])],
    mcp_servers: [{ type: 'url', url, name: label, authorization_token: TOKEN_PLACEHOLDER }],
    tools: [
      ...(hasDeferred ? [search] : []),
      {
        type: 'mcp_toolset',
        mcp_server_name: label,
        default_config: { defer_loading: defers },
        ...(configs.size > 0 && { configs: Object.fromEntries(configs) }),
      },
    ],
  }
}

/** The tools of an OpenAI Responses request that connect the endpoint. That API defers a server as a whole. */
export function openAiSnippet({ url, label, mode }: SnippetBasis): Snippet {
  const defers = mode === 'deferred'
  const server = { type: 'mcp', server_label: label, server_url: url, authorization: TOKEN_PLACEHOLDER }
  return { tools: defers ? [{ ...server, defer_loading: true }, { type: 'tool_search' }] : [server] }
}
