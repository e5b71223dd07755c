import type { DecidedExposure } from './decide-exposure.ts'
import type { ListedTool } from './listed-tool.ts'
import type { ResolvedDisclosure } from '../model/settings.ts'

/** What a snippet is made from: an endpoint and its list, as a client of the model API would get it. */
export interface SnippetBasis {
  readonly url: string
  /** What the endpoint is called in the request. */
  readonly label: string
  readonly mode: DecidedExposure
  readonly settings: ResolvedDisclosure
  readonly dialect: { readonly searchToolName: string }
  readonly listed: readonly ListedTool[]
}

/** Stands where the reader puts a token; a snippet never holds a real one. */
const TOKEN_PLACEHOLDER = '<token>'

type Snippet = Readonly<Record<string, unknown>>

/**
 * The part of an Anthropic Messages request that connects the endpoint. Where tools are deferred, the API's own search
 * finds them, so that ours is switched off there and tools which are not deferred are named.
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
