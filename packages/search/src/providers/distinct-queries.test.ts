import { describe, expect, it } from 'vitest'
import { distinctQueries } from './distinct-queries.ts'

describe('distinctQueries', () => {
  it('drops blank and repeated queries and the space around them', () => {
    expect(distinctQueries(['', ' \t\n', 'file', ' file ', 'issue'])).toEqual(['file', 'issue'])
  })

  it('takes the first twenty', () => {
    const queries = Array.from({ length: 10_000 }, (_, index) => `q${index}`)
    expect(distinctQueries(queries)).toEqual(queries.slice(0, 20))
  })
})
