import { describe, expect, it } from 'vitest'
import { resolveSettings } from './resolve-settings.ts'
import type { DisclosureSettings, ResolvedDisclosure } from '../model/settings.ts'

describe('resolveSettings', () => {
  it('has a default for everything', () => {
    expect(resolveSettings({}, {})).toEqual({
      exposure: 'auto',
      dialect: 'router',
      strategy: 'hybrid',
      deferLoading: false,
      maxTools: 50,
      searchThreshold: 0,
      selectionOrder: ['server_priority'],
      executeTool: false,
      executeVariants: false,
      directCalls: false,
      dropPrefix: false,
      learning: true,
      tokenBudget: 10_000,
      resultBudget: 'auto',
      hiddenCharacters: 'leave',
      resultRemarks: false,
    })
  })

  it('[P1] limits to 50 tools above a relevance of 0.1, by server priority, by default', () => {
    const limited = { maxTools: 50, searchThreshold: 0.1, selectionOrder: ['server_priority'] }
    expect(resolveSettings({}, { exposure: 'limited' })).toMatchObject(limited)
    expect(resolveSettings({ dialect: 'mcproxy' }, {})).toMatchObject(limited)
    const own = { maxTools: 7, searchThreshold: 0.5, selectionOrder: ['alphabetical'] } as const
    expect(resolveSettings(own, { exposure: 'limited', maxTools: 9, searchThreshold: 0.2 })).toMatchObject(own)
  })

  it('takes each setting from the nearest layer that has it', () => {
    const endpoint = { strategy: null, maxTools: 3 } as const
    const project = { strategy: 'regex', maxTools: 4, dialect: 'metamcp', executeTool: true } as const
    expect(resolveSettings(endpoint, project)).toMatchObject({
      strategy: null,
      maxTools: 3,
      dialect: 'metamcp',
      executeTool: true,
    })
  })

  it('takes undefined as absent', () => {
    const absent = { strategy: undefined, exposure: undefined } as unknown as DisclosureSettings
    expect(resolveSettings(absent, { strategy: 'regex', exposure: 'full' })).toMatchObject({
      strategy: 'regex',
      exposure: 'full',
    })
  })

  type Case = readonly [DisclosureSettings, DisclosureSettings, Pick<ResolvedDisclosure, 'exposure' | 'deferLoading'>]
  const deferred = { exposure: 'deferred', deferLoading: true } as const
  const full = { exposure: 'full', deferLoading: false } as const
  const cases: readonly Case[] = [
    [{}, { exposure: 'full', deferLoading: true }, deferred],
    [{}, { exposure: 'deferred' }, deferred],
    [{ deferLoading: false }, { exposure: 'deferred' }, full],
    [{ deferLoading: false }, { exposure: 'full', deferLoading: true }, full],
    [{ deferLoading: true }, { exposure: 'full', deferLoading: false }, deferred],
    [{ exposure: 'deferred' }, { exposure: 'full', deferLoading: false }, deferred],
    [{ exposure: 'full' }, { exposure: 'deferred' }, full],
    [{ exposure: 'full' }, { exposure: 'search-only', deferLoading: true }, deferred],
    [{ deferLoading: true }, {}, deferred],
    [{ exposure: 'auto' }, { deferLoading: true }, { exposure: 'auto', deferLoading: false }],
    [{}, { exposure: 'limited', deferLoading: true }, { exposure: 'limited', deferLoading: true }],
    [{ exposure: 'search-only' }, { deferLoading: true }, { exposure: 'search-only', deferLoading: true }],
  ]
  it.each(cases)('resolves endpoint %j over project %j to %j', (endpoint, project, expected) => {
    expect(resolveSettings(endpoint, project)).toMatchObject(expected)
  })
})
