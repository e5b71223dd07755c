import { describe, expect, it } from 'vitest'
import type { ProjectTool } from '../model/project.ts'
import { dialectNamed } from '../dialects/dialects.ts'
import { decideExposure } from './decide-exposure.ts'
import { eligibleIn, namesFor, TEN_TOOLS } from './fixture-ten-tools.case.ts'
import { listTools } from './list-tools.ts'
import { anthropicSnippet, openAiSnippet, type SnippetBasis } from './connect-snippets.ts'
import { resolveSettings } from './resolve-settings.ts'
import type { DisclosureSettings } from '../model/settings.ts'

function basis(own: DisclosureSettings, tools: Readonly<Record<string, ProjectTool>> = {}): SnippetBasis {
  const settings = resolveSettings(own, { dialect: 'metamcp' })
  const dialect = dialectNamed(settings.dialect)
  const { mode } = decideExposure({ settings, tokens: 0 })
  const eligible = eligibleIn(TEN_TOOLS, tools)
  const listed = listTools({ eligible, mode, settings, dialect, names: namesFor(eligible) })
  return { url: 'https://gateway.example/mcp', label: 'tooldex', mode, settings, dialect, listed }
}

const server = { type: 'url', url: 'https://gateway.example/mcp', name: 'tooldex', authorization_token: '<token>' }

describe('anthropicSnippet', () => {
  it('defers the toolset, names the exceptions and uses the search of the API', () => {
    const snippet = anthropicSnippet(basis({ exposure: 'deferred' }, { 'web:fetch_url': { deferLoading: false } }))
    expect(snippet).toEqual({
      betas: ['mcp-client-2025-11-20', 'advanced-tool-use-2025-11-20'],
      mcp_servers: [server],
      tools: [
        { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' },
        {
          type: 'mcp_toolset',
          mcp_server_name: 'tooldex',
          default_config: { defer_loading: true },
          configs: { metamcp_search_tools: { enabled: false }, web__fetch_url: { defer_loading: false } },
        },
      ],
    })
  })

  it('defers nothing where the endpoint does not', () => {
    expect(anthropicSnippet(basis({ exposure: 'search-only' }))).toEqual({
      betas: ['mcp-client-2025-11-20'],
      mcp_servers: [server],
      tools: [{ type: 'mcp_toolset', mcp_server_name: 'tooldex', default_config: { defer_loading: false } }],
    })
  })

  it('searches by pattern if the endpoint does', () => {
    const { tools } = anthropicSnippet(basis({ exposure: 'deferred', strategy: 'regex' })) as { tools: object[] }
    expect(tools[0]).toEqual({ type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' })
  })
})

describe('openAiSnippet', () => {
  const mcp = {
    type: 'mcp',
    server_label: 'tooldex',
    server_url: 'https://gateway.example/mcp',
    authorization: '<token>',
  }

  it('defers the server and adds tool search', () => {
    expect(openAiSnippet(basis({ exposure: 'deferred' }))).toEqual({
      tools: [{ ...mcp, defer_loading: true }, { type: 'tool_search' }],
    })
    expect(openAiSnippet(basis({ exposure: 'meta-tools' }))).toEqual({ tools: [mcp] })
  })
})
