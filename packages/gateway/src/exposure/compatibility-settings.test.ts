import { describe, expect, it } from 'vitest'
import { GatewayError } from '../errors.ts'
import { resolveSettings } from './resolve-settings.ts'
import {
  translateEndpoint,
  translateProject,
  translateToolDefer,
  type CompatibilityEndpointSettings,
  type CompatibilityProjectSettings,
} from './compatibility-settings.ts'
import type { DisclosureSettings } from '../model/settings.ts'

const resolved = (project: CompatibilityProjectSettings, endpoint: CompatibilityEndpointSettings = {}) =>
  resolveSettings(translateEndpoint(endpoint), translateProject(project))

describe('settings of MetaMCP', () => {
  const on: CompatibilityProjectSettings = { default_defer_loading: true, default_search_method: 'BM25' }

  it('have MetaMCP’s defaults in a project: not deferred, no search, everything visible', () => {
    const off = { exposure: 'full', deferLoading: false, strategy: null, dialect: 'metamcp' }
    expect(resolved({ default_defer_loading: false })).toMatchObject(off)
    expect(resolved({ default_search_method: 'NONE' })).toMatchObject(off)
    expect(resolved({ default_tool_visibility: 'ALL' })).toMatchObject(off)
  })

  type Case = readonly [string, CompatibilityProjectSettings, CompatibilityEndpointSettings, DisclosureSettings]
  const cases: readonly Case[] = [
    ['a project is deferred', on, {}, { exposure: 'deferred', strategy: 'bm25' }],
    [
      'a strategy alone defers nothing',
      { default_search_method: 'REGEX' },
      {},
      { exposure: 'full', strategy: 'regex' },
    ],
    ['embeddings are a strategy', { default_search_method: 'EMBEDDINGS' }, {}, { strategy: 'embeddings' }],
    ['INHERIT changes nothing', on, { override_defer_loading: 'INHERIT' }, { exposure: 'deferred', strategy: 'bm25' }],
    ['DISABLED keeps the strategy', on, { override_defer_loading: 'DISABLED' }, { exposure: 'full', strategy: 'bm25' }],
    [
      'an endpoint enables what the project has not',
      { default_defer_loading: false, default_search_method: 'NONE' },
      { override_defer_loading: 'ENABLED', override_search_method: 'REGEX' },
      { exposure: 'deferred', strategy: 'regex' },
    ],
    ['an endpoint turns search off', on, { override_search_method: 'NONE' }, { exposure: 'deferred', strategy: null }],
    ['a strategy is inherited', on, { override_search_method: 'INHERIT' }, { strategy: 'bm25' }],
    ['visibility narrows', { ...on, default_tool_visibility: 'SEARCH_ONLY' }, {}, { exposure: 'search-only' }],
    [
      'null inherits visibility',
      { ...on, default_tool_visibility: 'SEARCH_ONLY' },
      { override_tool_visibility: null },
      { exposure: 'search-only' },
    ],
    [
      'an endpoint widens, and deferring comes back',
      { ...on, default_tool_visibility: 'SEARCH_ONLY' },
      { override_tool_visibility: 'ALL' },
      { exposure: 'deferred', deferLoading: true },
    ],
    ['an endpoint narrows', on, { override_tool_visibility: 'SEARCH_ONLY' }, { exposure: 'search-only' }],
  ]
  it.each(cases)('%s', (_title, project, endpoint, expected) => {
    expect(resolved(project, endpoint)).toMatchObject(expected)
  })

  it('are absent at an endpoint that inherits everything', () => {
    const inherits: CompatibilityEndpointSettings = {
      override_defer_loading: 'INHERIT',
      override_search_method: 'INHERIT',
      override_tool_visibility: null,
    }
    expect(translateEndpoint(inherits)).toEqual({})
  })

  it.each([
    ['ENABLED', true],
    ['DISABLED', false],
    ['INHERIT', undefined],
    [undefined, undefined],
  ] as const)('translate what a tool says: %s is %s', (word, meaning) => {
    expect(translateToolDefer(word)).toBe(meaning)
  })

  it('reject an unknown value, and name the field and the known values', () => {
    const wrong = { override_search_method: 'FUZZY' } as unknown as CompatibilityEndpointSettings
    expect(() => translateEndpoint(wrong)).toThrow(GatewayError)
    expect(() => translateEndpoint(wrong)).toThrow(/override_search_method.*NONE, REGEX, BM25, EMBEDDINGS/)
    expect(() => translateToolDefer('constructor' as never)).toThrow(/defer_loading/)
  })
})

describe('settings of MCP Router', () => {
  it('select the strategy, with the two fixed tools', () => {
    expect(translateProject({ optimization: 'cloud' })).toEqual({
      exposure: 'meta-tools',
      dialect: 'router',
      strategy: 'cloud',
    })
  })

  it('turn tool search off with null', () => {
    expect(translateProject({ optimization: null })).toEqual({ strategy: null })
  })

  it('reject a second setting of the strategy', () => {
    const both = { optimization: 'bm25', default_search_method: 'REGEX' } as const
    expect(() => translateProject(both)).toThrow(/optimization and default_search_method/)
  })
})

describe('settings of MCProxy', () => {
  it('limit the list', () => {
    const seed = { maxToolsLimit: 5, searchThreshold: 0.3, toolSelectionOrder: ['alphabetical'] } as const
    expect(translateProject(seed)).toEqual({
      exposure: 'limited',
      dialect: 'mcproxy',
      maxTools: 5,
      searchThreshold: 0.3,
      selectionOrder: ['alphabetical'],
    })
    expect(translateProject({ toolSelectionOrder: ['alphabetical'] })).toMatchObject({ exposure: 'limited' })
    expect(translateProject({ searchThreshold: 0.3 })).toEqual({ searchThreshold: 0.3 })
  })
})

it('is empty without settings', () => {
  expect(translateProject({})).toEqual({})
  expect(translateEndpoint({})).toEqual({})
})
