import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { DisclosureSettings } from '../model/settings.ts'
import { resolveSettings, settingsWithOrigin } from './resolve-settings.ts'

const settings: fc.Arbitrary<DisclosureSettings> = fc.record(
  {
    exposure: fc.constantFrom('full', 'deferred', 'limited', 'search-only', 'meta-tools', 'auto'),
    deferLoading: fc.boolean(),
    strategy: fc.constantFrom('bm25', 'regex', null),
    maxTools: fc.integer({ min: 1, max: 9 }),
  },
  { requiredKeys: [] },
)

describe('settingsWithOrigin', () => {
  it('has the values of resolveSettings, and names a layer that has the setting', () => {
    fc.assert(
      fc.property(settings, settings, (endpoint, project) => {
        const withOrigin = settingsWithOrigin(endpoint, project)
        const resolved = resolveSettings(endpoint, project)
        expect(Object.fromEntries(Object.entries(withOrigin).map(([key, { value }]) => [key, value]))).toEqual(resolved)
        const levels = { endpoint, project }
        for (const [key, { from }] of Object.entries(withOrigin)) {
          const related = key === 'exposure' || key === 'deferLoading' ? ['exposure', 'deferLoading'] : [key]
          if (from === 'default') expect(related.includes(key) && key in endpoint && key in project).toBe(false)
          else expect(related.some((each) => each in levels[from])).toBe(true)
        }
      }),
    )
  })

  it('names the layer of the deciding setting where two overlap', () => {
    const { exposure, deferLoading } = settingsWithOrigin({ deferLoading: true }, { exposure: 'full' })
    expect([exposure, deferLoading]).toEqual([
      { value: 'deferred', from: 'endpoint' },
      { value: true, from: 'endpoint' },
    ])
    expect(settingsWithOrigin({}, { exposure: 'deferred' }).deferLoading).toEqual({ value: true, from: 'project' })
    expect(settingsWithOrigin({}, {}).exposure).toEqual({ value: 'auto', from: 'default' })
  })
})
