import { expect, it } from 'vitest'
import { en } from '../text/en/index.ts'
import { ja } from '../text/ja/index.ts'
import { choiceName, settingWords } from './setting-words.ts'

it('shows settings by their labels, not by their stored names', () => {
  expect(settingWords('exposure', 'meta-tools', en)).toBe('Meta-tools')
  expect(settingWords('strategy', 'hybrid', en)).toBe('Hybrid')
  expect(settingWords('strategy', null, en)).toBe('off')
  expect(settingWords('dialect', 'router', en)).toBe('MCP Router')
  expect(settingWords('hiddenCharacters', 'leave', en)).toBe('Leave unchanged')
  expect(settingWords('deferLoading', false, en)).toBe('No')
  expect(settingWords('tokenBudget', 10_000, en)).toBe((10_000).toLocaleString())
  expect(settingWords('selectionOrder', ['server_priority'], ja)).toBe('サーバーの優先順')
})

it('gives every choice a unique name in every language', () => {
  for (const { projects } of [en, ja]) {
    for (const labels of [projects.optimization.exposures, projects.optimization.strategies]) {
      const names = Object.keys(labels).map((choice) => choiceName(labels, choice))
      expect(new Set(names).size).toBe(names.length)
    }
  }
})

it('shows the stored name of a choice without a label', () => {
  expect(choiceName(en.projects.optimization.exposures, 'constructor')).toBe('constructor')
})
