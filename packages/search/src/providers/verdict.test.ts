import { describe, expect, it } from 'vitest'
import { FOUND_FROM, NONE_BELOW, verdictOf } from './verdict.ts'

describe('verdictOf', () => {
  it.each([
    [1, 'found'],
    [FOUND_FROM, 'found'],
    [FOUND_FROM - 0.001, 'unsure'],
    [NONE_BELOW, 'unsure'],
    [NONE_BELOW - 0.001, 'none'],
    [0, 'none'],
    [Number.NaN, 'none'],
    [undefined, 'none'],
  ] as const)('of relevance %s is %s', (relevance, verdict) => expect(verdictOf(relevance)).toBe(verdict))
})
