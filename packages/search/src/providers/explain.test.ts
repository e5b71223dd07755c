import { describe, expect, it } from 'vitest'
import { explainMatches } from './explain.ts'

describe('explainMatches', () => {
  it('[R15] names each word once with its fields in a fixed order', () => {
    const explanation = explainMatches([
      { word: 'create', fields: ['name'] },
      { word: 'issue', fields: ['description'] },
      { word: 'issue', fields: ['name', 'description'] },
    ])
    expect(explanation).toEqual({
      matches: [
        { word: 'create', fields: ['name'] },
        { word: 'issue', fields: ['name', 'description'] },
      ],
      text: '"create" in name · "issue" in name, description',
    })
  })

  it('shortens a long word in the text only', () => {
    const word = 'x'.repeat(5_000)
    const explanation = explainMatches([{ word, fields: ['name'] }])
    expect(explanation.text.length).toBeLessThan(100)
    expect(explanation.matches[0]?.word).toBe(word)
  })
})
