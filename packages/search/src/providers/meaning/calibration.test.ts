import { describe, expect, it } from 'vitest'
import { calibrate, calibrateNow } from './calibration.ts'
import { toyEmbedder } from './toy-embedder.case.ts'

describe('calibration', () => {
  it('tells what nearness means to a model, also to one for which all texts are near', async () => {
    const toy = toyEmbedder()
    // As some models do: a large part that all vectors have in common.
    const crowded = (text: string): Float32Array => Float32Array.of(...toy.embedNow(text), 2)
    const plain = calibrateNow(toy, toy.embedNow)
    const moved = calibrateNow({ ...toy, dimensions: toy.dimensions + 1 }, crowded)
    expect(plain.floor).toBeLessThan(plain.ceiling)
    expect(moved.floor).toBeGreaterThan(0.8)
    expect(moved.ceiling).toBeGreaterThan(moved.floor)
    expect(await calibrate(toy, new AbortController().signal)).toEqual(plain)
  })

  it('never has the ceiling under the floor, even for a model that knows nothing', () => {
    const same = { ...toyEmbedder(), dimensions: 2 }
    const { floor, ceiling } = calibrateNow(same, () => Float32Array.of(1, 0))
    expect(ceiling).toBeGreaterThan(floor)
  })
})
