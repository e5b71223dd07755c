import type { McpTool } from '@tooldex/search'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CatalogTool } from '../catalog/catalog.ts'
import { charactersOf } from '../catalog/definition-size.ts'
import { dialectNamed } from '../dialects/dialects.ts'
import type { ProjectTool } from '../model/project.ts'
import type { DisclosureSettings } from '../model/settings.ts'
import type { ToolKey } from '../model/tool-key.ts'
import { type DecidedExposure, decideExposure, mayCallByName, takesCallsByName } from './decide-exposure.ts'
import { eligibleIn, namesFor, TEN_NAMES, TEN_TOOLS } from './fixture-ten-tools.case.ts'
import { listTools } from './list-tools.ts'
import { type ListedTool, listedTool, type LoadingHint } from './listed-tool.ts'
import { resolveSettings } from './resolve-settings.ts'
import { TokenEstimate } from './token-estimate.ts'

interface Options {
  readonly tools?: Readonly<Record<string, ProjectTool>>
  readonly servers?: ReadonlyMap<string, readonly McpTool[]>
  readonly additions?: readonly string[]
}

function listed(disclosure: DisclosureSettings, options: Options = {}): readonly ListedTool[] {
  const eligible = eligibleIn(options.servers ?? TEN_TOOLS, options.tools)
  const settings = resolveSettings(disclosure, {})
  const dialect = dialectNamed(settings.dialect)
  const { mode } = decideExposure({ settings, tokens: 0 })
  const names = namesFor(eligible, dialect.separator)
  const { additions } = options
  return listTools({
    ...{ eligible, mode, settings, dialect, names },
    ...(additions !== undefined && { additions: additions as readonly ToolKey[] }),
  })
}

const namesIn = (tools: readonly ListedTool[]) => tools.map((tool) => tool.name)
const flagged = (tools: readonly ListedTool[]) => namesIn(tools.filter((tool) => 'defer_loading' in tool))
const metamcp = { dialect: 'metamcp' } as const
const SEARCH = 'metamcp_search_tools'

describe('full', () => {
  it('lists every tool as its server does, with its exposed name', () => {
    const tools = listed({ exposure: 'full' })
    expect(namesIn(tools)).toEqual(TEN_NAMES)
    const definitions = [...TEN_TOOLS.values()].flat()
    expect(tools).toEqual(definitions.map((definition, index) => ({ ...definition, name: TEN_NAMES[index] })))
  })

  it('keeps unknown fields, and the server’s own loading hints', () => {
    const odd = { name: 'odd', inputSchema: {}, 'x-vendor': 1, defer_loading: true, _meta: { a: 1 } } as McpTool
    const tools = listed({ exposure: 'full' }, { servers: new Map([['s', [odd]]]) })
    expect(tools).toEqual([{ ...odd, name: 's__odd' }])
  })

  it('shows the description of the project instead of the server’s', () => {
    const tools = listed({ exposure: 'full' }, { tools: { 'code:search_code': { description: 'Ours.' } } })
    expect(tools.find((tool) => tool.name === 'code__search_code')?.['description']).toBe('Ours.')
  })
})

describe('auto without tool search', () => {
  const sized = (name: string) => ({ name, description: 'x'.repeat(380), inputSchema: { type: 'object' as const } })
  const servers = new Map([['s', ['a', 'b', 'c', 'd', 'e'].map(sized)]])
  const off = { strategy: null, exposure: 'auto' } as const

  it('[R26] lists the tools that fit into the token budget, in order, pinned ones always, and never none', () => {
    const within = (tokenBudget: number, tools = {}) =>
      namesIn(listed({ ...off, tokenBudget }, { servers, tools })).map((name) => name.slice('s__'.length))
    const each = new TokenEstimate().ofTool(sized('a'))
    expect(within(5 * each)).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(within(5 * each - 1)).toEqual(['a', 'b', 'c', 'd'])
    expect(within(2 * each, { 's:e': { pinned: true } })).toEqual(['a', 'e'])
    expect(within(0)).toEqual(['a'])
  })

  it('[R26] leaves a list alone that is set to be full', () => {
    expect(listed({ strategy: null, exposure: 'full', tokenBudget: 0 }, { servers })).toHaveLength(5)
  })
})

describe('deferred', () => {
  it('[M2] flags with a strategy and adds the search tool; without one it only flags; off does neither', () => {
    const on = listed({ ...metamcp, exposure: 'full', deferLoading: true, strategy: 'bm25' })
    expect(namesIn(on)).toEqual([SEARCH, ...TEN_NAMES])
    expect(flagged(on)).toEqual(TEN_NAMES)
    const none = listed({ ...metamcp, exposure: 'full', deferLoading: true, strategy: null })
    expect(namesIn(none)).toEqual(TEN_NAMES)
    expect(flagged(none)).toEqual(TEN_NAMES)
    const off = listed({ ...metamcp, exposure: 'full', deferLoading: false, strategy: 'bm25' })
    expect(namesIn(off)).toEqual(TEN_NAMES)
    expect(flagged(off)).toEqual([])
  })

  it.each(['bm25', 'regex', 'embeddings'] as const)('has the search tool for %s', (strategy) => {
    expect(namesIn(listed({ ...metamcp, exposure: 'deferred', strategy }))[0]).toBe(SEARCH)
  })

  it('[M3] flags with exactly true, repeats it in _meta, keeps the rest, and does not flag the search tool', () => {
    const definition = { name: 't', title: 'T', inputSchema: { type: 'object' }, 'x-vendor': 1, _meta: { a: 1 } }
    const [search, tool] = listed({ exposure: 'deferred' }, { servers: new Map([['s', [definition]]]) })
    expect(tool).toEqual({
      ...definition,
      name: 's__t',
      defer_loading: true,
      _meta: { a: 1, 'io.tooldex/defer_loading': true },
    })
    expect(search).not.toHaveProperty('defer_loading')
    expect(search?.['_meta']).toEqual({ 'anthropic/alwaysLoad': true })
  })

  it('[M3] omits the flag, rather than setting false, for tools that are not deferred, and marks them to be loaded', () => {
    const loud = { name: 'loud', inputSchema: {}, defer_loading: true, _meta: { a: 1 } } as McpTool
    const options = { servers: new Map([['s', [loud]]]), tools: { 's:loud': { deferLoading: false } } }
    const [, tool] = listed({ exposure: 'deferred' }, options)
    expect(tool).toEqual({ name: 's__loud', inputSchema: {}, _meta: { a: 1, 'anthropic/alwaysLoad': true } })
  })

  it('overrides the loading hints of servers', () => {
    const pushy = { name: 'pushy', inputSchema: {}, _meta: { 'anthropic/alwaysLoad': true } }
    const [, tool] = listed({ exposure: 'deferred' }, { servers: new Map([['s', [pushy]]]) })
    expect(tool?.['_meta']).toEqual({ 'io.tooldex/defer_loading': true })
  })

  it('respects the setting of each tool', () => {
    const tools = {
      'filesystem:read_file': { deferLoading: false },
      'web:fetch_url': { deferLoading: false },
      'code:search_code': { pinned: true },
      'devops:deploy_app': { deferLoading: true, pinned: true },
    }
    const loaded = ['filesystem__read_file', 'web__fetch_url', 'code__search_code']
    expect(flagged(listed({ exposure: 'deferred' }, { tools }))).toEqual(
      TEN_NAMES.filter((name) => !loaded.includes(name)),
    )
  })

  it('flags a single tool in a list that is not deferred', () => {
    const tools = { 'web:fetch_url': { deferLoading: true } }
    expect(flagged(listed({ exposure: 'full' }, { tools }))).toEqual(['web__fetch_url'])
  })
})

describe('search-only', () => {
  it('[M4] lists the search tool alone, and tool_execute if the endpoint enables it', () => {
    expect(namesIn(listed({ ...metamcp, exposure: 'search-only' }))).toEqual([SEARCH])
    const withExecute = listed({ ...metamcp, exposure: 'search-only', executeTool: true })
    expect(namesIn(withExecute)).toEqual([SEARCH, 'tool_execute'])
  })

  it('lists nothing without a strategy', () => {
    expect(listed({ ...metamcp, exposure: 'search-only', strategy: null })).toEqual([])
  })

  it('saves more than nine tenths of the tokens of ten tools', () => {
    const estimate = new TokenEstimate()
    const whole = estimate.ofListing(listed({ ...metamcp, exposure: 'full' }))
    const searchOnly = estimate.ofListing(listed({ ...metamcp, exposure: 'search-only' }))
    expect(1 - searchOnly / whole).toBeGreaterThan(0.9)
  })
})

describe('resultBudget', () => {
  const outputs = (tools: readonly ListedTool[]) => tools.filter((tool) => 'outputSchema' in tool).length

  it('[U8] changes no list unless it is a number', () => {
    for (const exposure of ['full', 'deferred', 'limited', 'search-only', 'meta-tools'] as const) {
      const settings = { exposure, maxTools: 5 }
      expect(listed({ ...settings, resultBudget: 'off' })).toEqual(listed(settings))
    }
  })

  it('[U8] lists the tool that reads on where tool_execute is not listed, and no output schemas', () => {
    const own = (settings: Parameters<typeof listed>[0]) =>
      namesIn(listed({ ...settings, resultBudget: 2_000 })).filter((name) => !TEN_NAMES.includes(name))
    const READ = 'tooldex__read_result'
    expect(own({ exposure: 'full' })).toEqual([READ])
    expect(own({ exposure: 'deferred' })).toEqual([READ, 'tool_discovery'])
    expect(own({ exposure: 'search-only' })).toEqual([READ, 'tool_discovery'])
    expect(own({ exposure: 'meta-tools' })).toEqual(['tool_discovery', 'tool_execute'])
    expect(own({ exposure: 'limited', maxTools: 5 })).toEqual(['tool_discovery', 'tool_execute'])
    expect(listed({ exposure: 'full', resultBudget: 2_000 }, { servers: new Map() })).toEqual([])
    const typed = { name: 't', outputSchema: { type: 'object' } } as McpTool
    const servers = new Map([['s', [typed]]])
    expect(outputs(listed({ exposure: 'full' }, { servers }))).toBe(1)
    expect(outputs(listed({ exposure: 'full', resultBudget: 2_000 }, { servers }))).toBe(0)
  })
})

describe('meta-tools', () => {
  it('[R2] lists exactly the two tools, the same for every catalog', () => {
    const two = listed({ exposure: 'meta-tools' })
    expect(namesIn(two)).toEqual(['tool_discovery', 'tool_execute'])
    expect(listed({ exposure: 'meta-tools', strategy: null }, { servers: new Map() })).toEqual(two)
    expect(two.map((tool) => tool['_meta'])).toEqual(Array(2).fill({ 'anthropic/alwaysLoad': true }))
    expect(two.map((tool) => tool['annotations'])).toEqual([
      { title: 'Find tools', readOnlyHint: true, idempotentHint: true, openWorldHint: false },
      { title: 'Run a tool', readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    ])
  })

  it('[R2] lists tool_execute_read beside tool_execute with executeVariants, wherever that is listed', () => {
    const names = (settings: Parameters<typeof listed>[0], more?: Parameters<typeof listed>[1]) =>
      namesIn(listed({ executeVariants: true, ...settings }, more))
    const both = ['tool_execute', 'tool_execute_read']
    expect(names({ exposure: 'meta-tools' })).toEqual(['tool_discovery', ...both])
    expect(names({ exposure: 'search-only', executeTool: true })).toEqual(['tool_discovery', ...both])
    expect(names({ exposure: 'search-only' })).toEqual(['tool_discovery'])
    expect(names({ exposure: 'limited', maxTools: 1 })).toEqual(['tool_discovery', ...both, expect.any(String)])
    expect(names({ exposure: 'full' })).toEqual(TEN_NAMES)
    const [, , read] = listed({ exposure: 'meta-tools', executeVariants: true })
    expect(read?.['annotations']).toMatchObject({ readOnlyHint: true, destructiveHint: false })
  })

  it('lists pinned tools as well, to be loaded at once', () => {
    const tools = listed({ exposure: 'meta-tools' }, { tools: { 'web:fetch_url': { pinned: true } } })
    expect(namesIn(tools)).toEqual(['tool_discovery', 'tool_execute', 'web__fetch_url'])
    expect(tools[2]?.['_meta']).toEqual({ 'anthropic/alwaysLoad': true })
  })
})

describe('limited', () => {
  const limited = { exposure: 'limited', dialect: 'mcproxy' } as const
  const proxyNames = TEN_NAMES.map((name) => name.replace('__', '___'))
  const SEARCH_TOOL = 'search_available_tools'

  it('[P2] does not change a list that fits', () => {
    const tools = listed({ ...limited, maxTools: 10 }, { additions: [] })
    expect(namesIn(tools)).toEqual(proxyNames)
    expect(namesIn(listed({ ...limited, maxTools: 10 }))).toEqual(proxyNames)
  })

  it('[P2] lists the first tools and the search tool above the limit', () => {
    const tools = listed({ ...limited, maxTools: 3 }, { additions: [] })
    const first = ['filesystem___list_directory', 'filesystem___read_file', 'filesystem___write_file']
    expect(namesIn(tools)).toEqual([SEARCH_TOOL, ...first])
  })

  it('[P3] orders by server priority, then by name', () => {
    const servers = new Map([
      ['zoo', [{ name: 'b' }, { name: 'a' }]],
      ['ark', [{ name: 'd' }, { name: 'c' }]],
    ])
    const options = { servers, additions: [] }
    const names = (order: DisclosureSettings['selectionOrder']) =>
      namesIn(
        listed({ ...limited, maxTools: 3, ...(order !== undefined && { selectionOrder: order }) }, options),
      ).slice(1)
    expect(names(undefined)).toEqual(['zoo___a', 'zoo___b', 'ark___c'])
    expect(names(['server_priority', 'alphabetical'])).toEqual(['zoo___a', 'zoo___b', 'ark___c'])
    expect(names(['alphabetical'])).toEqual(['ark___c', 'ark___d', 'zoo___a'])
    expect(names(['alphabetical', 'server_priority'])).toEqual(['ark___c', 'ark___d', 'zoo___a'])
  })

  it('appends the tools that the session found, without duplicates and removed tools', () => {
    const additions = ['web:fetch_url', 'filesystem:read_file', 'gone:tool', 'code:search_code']
    const tools = namesIn(listed({ ...limited, maxTools: 3 }, { additions }))
    expect(tools.slice(4)).toEqual(['web___fetch_url', 'code___search_code'])
  })

  it('gives clients without a session tool_execute instead of a growing list', () => {
    expect(namesIn(listed({ ...limited, maxTools: 1 }))).toEqual([
      SEARCH_TOOL,
      'tool_execute',
      'filesystem___list_directory',
    ])
  })

  it('adds no own tool if search is off', () => {
    const tools = namesIn(listed({ ...limited, maxTools: 1, strategy: null }))
    expect(tools).toEqual(['filesystem___list_directory'])
  })

  it('always lists pinned tools', () => {
    const tools = { 'devops:deploy_app': { pinned: true } }
    const names = namesIn(listed({ ...limited, maxTools: 2 }, { tools, additions: [] }))
    expect(names).toEqual([SEARCH_TOOL, 'filesystem___list_directory', 'devops___deploy_app'])
    expect(namesIn(listed({ ...limited, maxTools: 0 }, { tools, additions: [] })).slice(1)).toEqual([
      'devops___deploy_app',
    ])
  })

  it('[P5] tells how many tools are hidden, rounded down to tens above twenty', () => {
    const description = (total: number) => {
      const servers = new Map([['s', Array.from({ length: total }, (_, index) => ({ name: `t${index}` }))]])
      return String(listed({ ...limited, maxTools: 1 }, { servers, additions: [] })[0]?.['description'])
    }
    expect(description(4)).toContain('through 3 additional')
    expect(description(21)).toContain('through 20 additional')
    expect(description(33)).toContain('through at least 30 additional')
    expect(description(40)).toBe(description(33))
    expect(description(1_400)).toContain('at least 1390 additional')
  })
})

describe('calls by name', () => {
  const settings = (own: DisclosureSettings) => resolveSettings(own, {})

  it.each(['full', 'deferred', 'limited', 'search-only'] as const)('are accepted in %s', (mode: DecidedExposure) => {
    expect(takesCallsByName(mode, settings({ exposure: mode }))).toBe(true)
  })

  it('are rejected in meta-tools unless the endpoint allows them, auto chose it, or the tool is pinned', () => {
    const refusing = settings({ exposure: 'meta-tools' })
    expect(takesCallsByName('meta-tools', refusing)).toBe(false)
    expect(takesCallsByName('meta-tools', settings({ exposure: 'meta-tools', directCalls: true }))).toBe(true)
    expect(takesCallsByName('meta-tools', settings({ exposure: 'auto' }))).toBe(true)
    const { list, project } = eligibleIn(TEN_TOOLS, { 'web:fetch_url': { pinned: true } })
    const callable = list.filter((tool) => mayCallByName(tool, project, 'meta-tools', refusing))
    expect(callable.map((tool) => tool.key)).toEqual(['web:fetch_url'])
  })
})

describe('the size of listed tools', () => {
  const HINTS: readonly LoadingHint[] = ['none', 'defer', 'always']

  it('is that of their JSON, whatever the list changes', () => {
    const meta = fc.dictionary(fc.constantFrom('a', 'io.tooldex/defer_loading', 'anthropic/alwaysLoad'), fc.jsonValue())
    const definition = fc.record(
      {
        name: fc.string(),
        description: fc.string(),
        inputSchema: fc.dictionary(fc.string(), fc.jsonValue()),
        outputSchema: fc.dictionary(fc.string(), fc.jsonValue()),
        defer_loading: fc.boolean(),
        _meta: meta,
      },
      { requiredKeys: ['name'] },
    )
    const own = fc.option(fc.string(), { nil: undefined })
    const style = fc.record({ hint: fc.constantFrom(...HINTS), hasOutputSchema: fc.boolean() })
    fc.assert(
      fc.property(definition, fc.string(), own, style, (raw, name, description, { hint, hasOutputSchema }) => {
        const eligible = eligibleIn(new Map([['s', [raw as McpTool]]]))
        const [tool] = eligible.list as readonly [CatalogTool]
        const project = {
          ...eligible.project,
          tools: new Map(description === undefined ? [] : [[tool.key, { description }]]),
        }
        const listing = listedTool(tool, name, project, { hint, hasOutputSchema })
        expect(charactersOf(listing)).toBe(JSON.stringify(listing).length)
      }),
    )
  })
})
