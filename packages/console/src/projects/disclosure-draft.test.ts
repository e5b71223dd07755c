import { adminRoutes, type EffectiveSettings } from '@tooldex/contract/admin'
import { expect, it } from 'vitest'
import { disclosurePatch, draftOf, effectiveValue, withSetting } from './disclosure-draft.ts'

const settings = {
  exposure: { value: 'limited', from: 'project' },
  dialect: { value: 'router', from: 'default' },
  strategy: { value: null, from: 'project' },
  deferLoading: { value: false, from: 'default' },
  maxTools: { value: 50, from: 'default' },
  searchThreshold: { value: 0.1, from: 'default' },
  selectionOrder: { value: ['server_priority'], from: 'default' },
  executeTool: { value: false, from: 'default' },
  executeVariants: { value: false, from: 'default' },
  directCalls: { value: false, from: 'default' },
  dropPrefix: { value: false, from: 'default' },
  learning: { value: true, from: 'default' },
  tokenBudget: { value: 10_000, from: 'default' },
  resultBudget: { value: 'auto', from: 'default' },
  hiddenCharacters: { value: 'leave', from: 'default' },
  resultRemarks: { value: false, from: 'default' },
} as EffectiveSettings

it('takes over the settings that are set here, and not the inherited ones', () => {
  expect(draftOf(settings, 'project')).toEqual({ exposure: 'limited', strategy: null })
})

it('unsets the settings that the form leaves out, also under their other names', () => {
  const patch = disclosurePatch({ strategy: null }, { exposure: 'limited', maxToolsLimit: 5, optimization: 'bm25' })
  expect(adminRoutes.changeProject.body.parse(patch)).toEqual({ strategy: null, unset: ['exposure', 'maxToolsLimit'] })
})

it('distinguishes “off” from “inherited”', () => {
  const off = withSetting({}, 'strategy', null)
  expect(effectiveValue(off, { ...settings, strategy: { value: 'bm25', from: 'default' } }, 'strategy')).toBeNull()
  expect(
    effectiveValue(
      withSetting(off, 'strategy', undefined),
      { ...settings, strategy: { value: 'bm25', from: 'default' } },
      'strategy',
    ),
  ).toBe('bm25')
})
