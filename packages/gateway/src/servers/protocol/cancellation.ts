/** Called when the request is cancelled. */
export type CancelListener = (reason: Error) => void

/**
 * Cancels a request. Like `AbortSignal`, but with one listener at a time: two signals for each request would cost as much
 * as writing the request does.
 */
export class Cancellation {
  #listener: CancelListener | undefined
  #reason: Error | undefined

  /** A cancellation that follows a signal. */
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

  /** The reason, once the request is cancelled. */
  get reason(): Error | undefined {
    return this.#reason
  }

  /** Cancels the request; later calls have no effect. */
  cancel(reason: Error): void {
    if (this.#reason !== undefined) return
    this.#reason = reason
    this.#listener?.(reason)
    this.#listener = undefined
  }

  /** Replaces the listener; calls it at once if the request is cancelled already. */
  onCancel(listener: CancelListener): void {
    if (this.#reason !== undefined) listener(this.#reason)
    else this.#listener = listener
  }
}
