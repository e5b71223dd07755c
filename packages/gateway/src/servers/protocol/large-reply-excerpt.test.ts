import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Excerpt } from './large-reply.ts'

it('is the text between two offsets, however it is cut, and undefined if that is too long', () => {
  const texts = fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme-ascii' })
  fc.assert(
    fc.property(texts, fc.nat(), fc.nat(), fc.integer({ min: 1, max: 9 }), (text, a, b, size) => {
      const [from, to] = [a % text.length, b % text.length].toSorted((one, other) => one - other) as [number, number]
      const excerpt = new Excerpt(20)
      let found: string | undefined
      for (let at = 0; at < text.length; at += size) {
        excerpt.enter(Buffer.from(text.slice(at, at + size)))
        if (from >= at && from < at + size) excerpt.begin(from)
        if (to >= at && to < at + size) found = excerpt.end(to)
        excerpt.leave()
      }
      expect(found).toBe(to - from > 20 ? undefined : text.slice(from, to))
    }),
  )
})

it('has no end without a beginning', () => {
  expect(new Excerpt(20).end(0)).toBeUndefined()
})
