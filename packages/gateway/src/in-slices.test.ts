import { describe, expect, it } from 'vitest'
import { atOnce, inSlices, type Steps } from './in-slices.ts'

/** Steps of which each takes a while. */
function* slowSteps(count: number, onStep: () => void = () => {}): Steps<number> {
  for (let step = 0; step < count; step++) {
    for (const end = performance.now() + 3; performance.now() < end; );
    onStep()
    yield
  }
  return count
}

describe('work in steps', () => {
  it('gives the same result at once and in slices', async () => {
    expect(atOnce(slowSteps(4))).toBe(4)
    expect(await inSlices(slowSteps(4))).toBe(4)
  })

  it('lets other work run between its slices', async () => {
    const order: string[] = []
    setImmediate(() => order.push('other work'))
    await inSlices(slowSteps(20, () => order.push('step')))
    expect(order).toContain('other work')
    expect(order.at(-1)).toBe('step')
  })

  it('passes a failure on', async () => {
    function* failing(): Steps<never> {
      yield
      throw new Error('no')
    }
    await expect(inSlices(failing())).rejects.toThrow('no')
    expect(() => atOnce(failing())).toThrow('no')
  })
})
