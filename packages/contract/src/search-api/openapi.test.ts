import { describe, expect, it } from 'vitest'
import { searchApiDocument } from './openapi.ts'

describe('searchApiDocument', () => {
  const text = JSON.stringify(searchApiDocument())

  it('has no dangling references', () => {
    const document = searchApiDocument()
    const references = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path.split('/'))
    expect(references.length).toBeGreaterThan(0)
    for (const path of references) {
      const found = path.reduce<unknown>((value, part) => (value as Record<string, unknown>)?.[part], document)
      expect(found, path.join('/')).toBeTypeOf('object')
    }
  })

  it('[R31] has the agreed request and answer', () => {
    const { schemas } = searchApiDocument()['components'] as { schemas: Record<string, { required: string[] }> }
    expect(schemas['SearchRequest']?.required).toEqual(['query', 'tools'])
    expect(schemas['SearchAnswer']?.required).toEqual(['results'])
  })

  it('accepts unknown fields', () => {
    expect(text).not.toContain('"additionalProperties":false')
  })
})
