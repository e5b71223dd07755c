import { setTimeout as delay } from 'node:timers/promises'

/** Polls until there is a value. Resolves to it. */
export async function until<T>(ask: () => T | undefined | Promise<T | undefined>, withinMs: number): Promise<T> {
  const end = performance.now() + withinMs
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    if (performance.now() > end) throw new Error(`The condition did not hold within ${withinMs} ms`)
    await delay(5)
  }
}
