import { describe, expect, it } from 'vitest'
import { describeRaw } from './raw-config.ts'
import { tokenRules } from './token-rules.ts'

const problemsOf = (name: string) => tokenRules(describeRaw({ tokens: [{ name, value: 'x'.repeat(16) }] }))

describe('tokenRules', () => {
  it.each([
    ['local', 'the program’s own commands'],
    [' Anonymous ', 'clients without a token'],
  ])('reserves the name %j', (name, owner) => {
    expect(problemsOf(name)).toEqual([
      { path: ['tokens', 0, 'name'], message: `the name is for ${owner}; take another` },
    ])
  })

  it('accepts any other name', () => {
    expect(problemsOf('anonymously')).toEqual([])
  })
})
