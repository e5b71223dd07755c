import { describe, expect, it } from 'vitest'
import { eligibleIn, TEN_TOOLS } from './fixture-ten-tools.case.ts'
import { TokenEstimate } from './token-estimate.ts'

describe('TokenEstimate', () => {
  it('counts a quarter of the characters of the JSON, rounded up', () => {
    const estimate = new TokenEstimate()
    expect(estimate.ofTool({ name: 'ab' })).toBe(4)
    expect(estimate.ofListing([{ name: 'ab' }, { name: 'abc' }])).toBe(8)
  })

  it('measures a definition once', () => {
    const estimate = new TokenEstimate()
    let readings = 0
    const definition = {
      get name() {
        readings++
        return 'a'
      },
    }
    expect(estimate.ofTool(definition)).toBe(estimate.ofTool(definition))
    expect(readings).toBe(1)
  })

  it('adds up all eligible tools', () => {
    const estimate = new TokenEstimate()
    const eligible = eligibleIn(TEN_TOOLS)
    const sum = estimate.ofListing(eligible.list.map((tool) => tool.definition))
    expect(estimate.ofWhole(eligible)).toBe(sum)
    expect(estimate.ofWhole(eligible)).toBe(sum)
    expect(new TokenEstimate().ofWhole(eligibleIn(new Map()))).toBe(0)
  })
})
