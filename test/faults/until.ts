import { setTimeout as delay } from 'node:timers/promises'

/** Asks again and again until there is an answer. Resolves to it. */
export async function until<T>(ask: () => T | undefined | Promise<T | undefined>, withinMs: number): Promise<T> {
  const end = performance.now() + withinMs
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    if (performance.now() > end) throw new Error(`It did not happen within ${withinMs} ms`)
    await delay(5)
  }
}
