/** Told that the request which it carries out is taken back. */
export type CancelListener = (reason: Error) => void

/**
 * How a request is taken back on its way. What `AbortSignal` does, for the one at a time who carries the request out: making
 * a signal and listening to it, twice for each request, costs as much as writing the request does.
 */
export class Cancellation {
  #listener: CancelListener | undefined
  #reason: Error | undefined

  /** The same for those who have a signal. */
  static by(signal: AbortSignal): Cancellation {
    const cancellation = new Cancellation()
    const cancel = (): void => cancellation.cancel(signal.reason as Error)
    if (signal.aborted) cancel()
    else signal.addEventListener('abort', cancel, { once: true })
    return cancellation
  }

  get isCancelled(): boolean {
    return this.#reason !== undefined
  }

  /** Why it was taken back, once it was. */
  get reason(): Error | undefined {
    return this.#reason
  }

  /** Takes the request back; a second time changes nothing. */
  cancel(reason: Error): void {
    if (this.#reason !== undefined) return
    this.#reason = reason
    this.#listener?.(reason)
    this.#listener = undefined
  }

  /** Whoever carries the request out from here on; nobody before is told any more. At once if it was taken back. */
  tell(listener: CancelListener): void {
    if (this.#reason !== undefined) listener(this.#reason)
    else this.#listener = listener
  }
}
