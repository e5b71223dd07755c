import { ToolSearchError } from '../../errors.ts'

/**
 * Waits for work no longer than `limitMs`. The signal asks the work to stop; it is not waited for if it does not.
 * @throws `late`, an EMBEDDER_FAILED error by default, when time is up; the signal's reason when `signal` is aborted.
 */
export async function inTime<Value>(
  limitMs: number,
  work: (signal: AbortSignal) => Promise<Value>,
  signal?: AbortSignal,
  late: () => ToolSearchError = () =>
    new ToolSearchError('EMBEDDER_FAILED', { reason: `it did not answer within ${limitMs} ms` }),
): Promise<Value> {
  signal?.throwIfAborted()
  const controller = new AbortController()
  const stopped = new Promise<never>((_, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason as Error))
  })
  const onAbort = (): void => controller.abort(signal?.reason)
  const timer = setTimeout(() => controller.abort(late()), limitMs)
  signal?.addEventListener('abort', onAbort)
  try {
    return await Promise.race([stopped, work(controller.signal)])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}
