import { describe, expect, it } from 'vitest'
import { toolTexts } from './tool-texts.ts'

describe('toolTexts', () => {
  it('are the first sentence of a tool, and its description with parameters', () => {
    const tool = {
      id: 'my_files:readFile',
      namespace: 'my_files',
      name: 'readFile',
      title: 'Read',
      description: 'Reads a file. Takes time.',
      inputSchema: { properties: { file_path: { description: 'Where it is', enum: ['a', 'b'] } } },
    }
    expect(toolTexts(tool)).toEqual([
      'my files: read File. Read. Reads a file.',
      'my files: read File. Read. Reads a file. Takes time. Parameters: file path. Where it is a b',
    ])
  })

  it('is one text where there is nothing more to say', () => {
    expect(toolTexts({ id: 'a', name: 'a', description: 'Does a' })).toEqual(['a. Does a'])
    expect(toolTexts({ id: '🎉', name: '🎉' })).toEqual(['🎉. '])
  })

  it('stay short for a long description', () => {
    const much = {
      id: 'a',
      name: 'a',
      description: 'x '.repeat(500_000),
      inputSchema: { properties: { p: { description: 'y '.repeat(9_000) } } },
    }
    for (const text of toolTexts(much)) expect(text.length).toBeLessThan(2_000)
  })
})
