import { describe, expect, it } from 'vitest'
import { isRecord, parseJson } from './json.ts'

describe('isRecord', () => {
  it('accepts objects only', () => {
    expect([{}, { a: 1 }, [], null, undefined, 'a', 1].map(isRecord)).toEqual([
      ...[true, true],
      ...[false, false, false, false, false],
    ])
  })
})

describe('parseJson', () => {
  it('returns the value, or undefined for malformed JSON', () => {
    expect([parseJson('{"a":[1]}'), parseJson('null'), parseJson('{'), parseJson('')]).toEqual([
      { a: [1] },
      null,
      undefined,
      undefined,
    ])
  })
})
