import { describe, expect, it } from 'vitest'
import { searchApiPage, EXAMPLE } from './reference-page.case.ts'
import { searchApiRequestSchema } from './schema.ts'

describe('docs/reference/search-api.md', () => {
  it('matches the schemas', async () => {
    await expect(searchApiPage()).toMatchFileSnapshot('../../../../docs/reference/search-api.md')
  })

  it('has an example that is valid', () => {
    expect(searchApiRequestSchema.parse(EXAMPLE)).toEqual(EXAMPLE)
  })
})
