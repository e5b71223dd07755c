import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { unitsOf } from '../wordpiece/word-piece.ts'
import { StaticEmbedder } from './static-embedder.ts'
import { writeTable } from './table.ts'

const TABLE = {
  id: 'small',
  dimensions: 2,
  vocabulary: unitsOf('file\nbug\nlist\nrequests\nnothing'),
  scales: Float32Array.of(1, 1, 0.5, 0.5, 0),
  rows: Int8Array.of(10, 0, 0, 10, 20, 0, 0, 20, 0, 0),
}

const BYTES = writeTable(TABLE)

const embedder = new StaticEmbedder(BYTES)

/** To four digits, because sums of floats end in noise. */
function rounded(vector: Float32Array | undefined): number[] {
  return [...(vector ?? [])].map((value) => Math.round(value * 10_000) / 10_000)
}

describe('StaticEmbedder', () => {
  it('has the id of its table and the length of its vectors', () => {
    expect(embedder.id).toMatch(/^small:[0-9a-f]{8}$/)
    expect(embedder.dimensions).toBe(2)
  })

  it.each([
    ['file', [1, 0]],
    ['BUG!', [0, 1]],
    ['file bug', [0.7071, 0.7071]],
    ['bug file', [0.7071, 0.7071]],
    ['listRequests', [0.7071, 0.7071]],
    ['unheard of', [0, 0]],
    ['nothing', [0, 0]],
    ['', [0, 0]],
    ['日本語', [0, 0]],
  ])('adds up the rows of %j to length 1, or to nothing', (text, expected) => {
    expect(rounded(embedder.embedNow(text))).toEqual(expected)
  })

  it('weighs a word that occurs three times more than once, and less than three times', () => {
    const [along, across] = rounded(embedder.embedNow('file file file bug'))
    expect((along ?? 0) / (across ?? 1)).toBeCloseTo(1 + Math.log(3), 2)
  })

  it('embeds many texts in order, as it would one by one', async () => {
    const texts = Array.from({ length: 300 }, (_, nth) => (nth % 3 === 0 ? 'file' : `bug ${'file '.repeat(nth % 5)}`))
    expect(await embedder.embed(texts)).toEqual(texts.map((text) => embedder.embedNow(text)))
    expect(await embedder.embed([])).toEqual([])
  })

  it('yields to the event loop during a long batch, and stops when aborted then', async () => {
    const reason = new Error('the caller has gone')
    const controller = new AbortController()
    const texts = Array.from({ length: 1_000 }, () => 'file')
    setTimeout(() => controller.abort(reason), 0)
    await expect(embedder.embed(texts, { signal: controller.signal })).rejects.toBe(reason)
    await expect(embedder.embed([], { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  })

  it('gives vectors of length 1 or 0 for any text, the same ones every time', () => {
    const words = fc.constantFrom('file', 'bug', 'list', 'requests', 'ß', '天', '\uD800', 'x'.repeat(500))
    const texts = fc.oneof(
      fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)) }),
      fc.array(words).map((list) => list.join(' ')),
    )
    fc.assert(
      fc.property(texts, (text) => {
        const vector = embedder.embedNow(text)
        const length = Math.hypot(...vector)
        expect(length === 0 || Math.abs(length - 1) < 1e-6).toBe(true)
        expect(new StaticEmbedder(BYTES).embedNow(text)).toEqual(vector)
      }),
    )
  })

  it('gives each caller a vector of its own', () => {
    const vector = embedder.embedNow('file bug')
    const before = [...vector]
    vector.fill(7)
    expect([...embedder.embedNow('file bug')]).toEqual(before)
  })

  it('reads a bounded part of huge texts', () => {
    const huge = `${'bug '.repeat(5_000)}${'aB'.repeat(500_000)}`
    expect(rounded(embedder.embedNow(huge))).toEqual([0, 1])
  })

  it('refuses a table with unequal numbers of word pieces and rows', () => {
    const bytes = writeTable({ ...TABLE, vocabulary: unitsOf('file\nbug') })
    expect(() => new StaticEmbedder(bytes)).toThrow(expect.objectContaining({ code: 'EMBEDDER_FAILED' }))
  })

  it('refuses values that are not text', () => {
    const notText: unknown = 7
    const embed = () => embedder.embedNow(notText as string)
    expect(embed).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENTS' }))
  })
})
