import { expect, it } from 'vitest'
import { queryShape } from './query-shape.ts'

it.each([
  ['   ', 'blank'],
  ['read a file', 'plain words(3)'],
  ['github AND issue', 'words(1) AND words(1)'],
  ['server:github description:"create issue"', 'server:words(1) OR description:phrase(2)'],
  ['(file OR document) AND NOT "pull request"', '(words(1) OR words(1)) AND NOT phrase(2)'],
  ['git*', 'prefix(1)'],
])('tells how %j was understood, without its words', (query, shape) => {
  expect(queryShape(query)).toBe(shape)
})
