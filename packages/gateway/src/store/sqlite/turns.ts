/** Lets one after the other use something, in the order of asking. */
export class Turns {
  #last: Promise<void> = Promise.resolve()

  /** Resolves when it is one's turn, to the way to end it. */
  async take(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const before = this.#last
    this.#last = promise
    await before
    return resolve
  }
}
