import { describe, expect, it } from 'vitest'
import { toDocument } from './bench-tool.ts'
import { generateTools } from './generate-tools.ts'

describe('generateTools', () => {
  const tools = generateTools(2000)

  it('gives the same tools for the same seed and others for another', () => {
    expect(generateTools(50, 7)).toEqual(generateTools(50, 7))
    expect(generateTools(50, 7)).not.toEqual(generateTools(50, 8))
  })

  it('gives a prefix of what a larger count gives', () => {
    expect(generateTools(300)).toEqual(tools.slice(0, 300))
  })

  it('gives exactly the count, with distinct ids', () => {
    expect(new Set(tools.map((tool) => tool.id)).size).toBe(2000)
  })

  it('describes tools in 10 to 60 words', () => {
    const lengths = tools.map((tool) => tool.description.split(' ').length)
    expect(Math.min(...lengths)).toBeGreaterThanOrEqual(10)
    expect(Math.max(...lengths)).toBeLessThanOrEqual(60)
  })

  it('gives most tools, not all, parameters', () => {
    const withParameters = tools.filter((tool) => toDocument(tool).parameters !== '').length
    expect(withParameters / tools.length).toBeGreaterThan(0.7)
    expect(withParameters / tools.length).toBeLessThan(0.9)
  })

  it('uses few words often and most words rarely', () => {
    const counts = new Map<string, number>()
    for (const word of tools.flatMap((tool) => tool.description.split(' '))) {
      counts.set(word, (counts.get(word) ?? 0) + 1)
    }
    const byFrequency = [...counts.values()].sort((a, b) => b - a)
    const total = byFrequency.reduce((sum, count) => sum + count, 0)
    const ofTop = byFrequency.slice(0, 100).reduce((sum, count) => sum + count, 0)
    expect(byFrequency.length).toBeGreaterThan(5000)
    expect(ofTop / total).toBeGreaterThan(0.3)
  })
})
