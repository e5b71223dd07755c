import { setImmediate } from 'node:timers/promises'

/** Work that can pause after each of its steps. */
export type Steps<Result> = Generator<undefined, Result, undefined>

/** How long steps run before other work does. A call takes some three turns of the event loop, each after a slice. */
const SLICE_MS = 1

/** Does the work without a pause. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Does the work in slices, so that a large server does not delay the calls of others. */
export async function inSlices<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    const end = performance.now() + SLICE_MS
    do {
      const { done, value } = steps.next()
      if (done) return value
    } while (performance.now() < end)
    await setImmediate()
  }
}
