import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normalizeTags } from './tags.ts'

/** Any UTF-16 code unit, lone surrogates included. */
const CODE_UNIT = fc.nat({ max: 0xffff }).map((unit) => String.fromCharCode(unit))

describe('normalizeTags', () => {
  it.each([
    ['  Version Control ', 'version-control'],
    ['a \t\n b', 'a-b'],
    ['C++/CLI', 'ccli'],
    ['v1.2_beta-3', 'v1.2_beta-3'],
    ['İstanbul', 'istanbul'],
    ['__proto__', '__proto__'],
  ])('[T11] turns %j into %j', (tag, normalized) => {
    expect(normalizeTags([tag])).toEqual([normalized])
  })

  it('[T11] drops what has no usable character and what is there already', () => {
    expect(normalizeTags(['Git', '', '  ', '検索', '🎉', 'GIT', ' git '])).toEqual(['git'])
  })

  it('[T11] keeps the first 20 tags and the first 64 characters of each', () => {
    expect(normalizeTags(Array.from({ length: 30 }, (_, i) => `tag${i}`))).toHaveLength(20)
    expect(normalizeTags(['x'.repeat(1_000_000)])).toEqual(['x'.repeat(64)])
  })

  it('[T11] always yields distinct tags of the alphabet, and is stable', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: CODE_UNIT })), (tags) => {
        const normalized = normalizeTags(tags)
        for (const tag of normalized) expect(tag).toMatch(/^[a-z0-9\-_.]{1,64}$/)
        expect(new Set(normalized).size).toBe(normalized.length)
        expect(normalizeTags(normalized)).toEqual(normalized)
      }),
    )
  })
})
