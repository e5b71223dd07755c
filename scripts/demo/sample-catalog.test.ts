import { describe, expect, it } from 'vitest'
import { estimateTokens, sampleServers } from './sample-catalog.ts'

describe('sampleServers', () => {
  it('groups tools by server and keeps what a server would list', () => {
    const lines = [
      { id: 'a:x', name: 'x', server: 'a', serverDescription: 'About a.', description: 'X.', inputSchema: {} },
      { id: 'b:y', name: 'y', server: 'b', description: 'Y.' },
      { id: 'a:z', name: 'z', server: 'a', serverDescription: 'About a.', description: 'Z.' },
    ]
    expect(sampleServers(lines.map((line) => JSON.stringify(line)).join('\n'))).toEqual([
      {
        name: 'a',
        description: 'About a.',
        tools: [
          { name: 'x', description: 'X.', inputSchema: {} },
          { name: 'z', description: 'Z.' },
        ],
      },
      { name: 'b', tools: [{ name: 'y', description: 'Y.' }] },
    ])
  })

  it('has a catalog worth searching', () => {
    expect(sampleServers().flatMap(({ tools }) => tools).length).toBeGreaterThan(100)
  })
})

describe('estimateTokens', () => {
  it('counts a token for every four characters of JSON', () => {
    expect(estimateTokens([{ name: 'a', tools: [{ name: 'x'.repeat(87) }] }])).toBe(25)
  })
})
