import fc from 'fast-check'
import { expect, it } from 'vitest'
import { tokenise } from './tokenise.ts'

const read = (text: string): string[] => {
  const tokens: string[] = []
  tokenise(text, (token, advances) => tokens.push(advances ? token : `+${token}`))
  return tokens
}

it('reads ASCII as the expressions over Unicode do, positions included', () => {
  const piece = fc.constantFrom('a', 'bc', 'D', 'EF', 'Gh', '1', '23', '_', '.', '-', "'", "'s", ' ', '@')
  const text = fc.oneof(
    fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join('')),
    // Around the length from which the whole is not kept.
    fc.integer({ min: 55, max: 70 }).map((length) => `read${'F'.padEnd(length - 4, 'x')}`),
  )
  fc.assert(
    fc.property(text, (ascii) => {
      // A letter that is not ASCII, apart from the rest, decides which way is taken.
      expect([...read(ascii), 'e']).toEqual(read(`${ascii} é`))
    }),
    { numRuns: 1000 },
  )
})
