import { describe, expect, it } from 'vitest'
import { mergeConfig, type MergedConfig, NOTHING_STORED } from '../../config/merge-config.ts'
import { declaredAs } from '../../config/parse-config.ts'
import { StoredTokens } from '../../model/stored-tokens.ts'
import { tokenOf } from '../../store/stored-samples.case.ts'
import { Administration } from './administration.ts'

describe('Administration', () => {
  const declared = declaredAs({ mcpServers: { files: { command: 'files' } } })
  const administration = (inForce?: () => MergedConfig): Administration =>
    new Administration({
      store: { current: () => NOTHING_STORED, change: () => Promise.reject(new Error('nothing is changed')) },
      declared: () => declared,
      inForce,
      now: () => 0,
    })

  it('[U19] begins with the configuration in force, and merges what changed since', () => {
    const { merged } = mergeConfig(declared.value, NOTHING_STORED)
    if (merged === undefined) throw new Error('the file is valid')
    const state = { ...NOTHING_STORED, revision: 1, tokens: StoredTokens.of([tokenOf('new')]) }
    expect(administration(() => merged).merged(state)?.config).toBe(merged.config)
    expect(administration(() => merged).merged(NOTHING_STORED)).toBe(merged)
    const other = { ...merged, declared: {} }
    for (const whole of [administration(), administration(() => other)]) {
      expect(whole.merged(state)?.config).not.toBe(merged.config)
      expect(whole.merged(state)?.config).toEqual(merged.config)
    }
  })
})
