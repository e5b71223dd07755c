type Listener<Event> = (event: Event) => void

/** Notifies listeners of events, one after the other and in order, even if a listener fails. */
export class ChangeListeners<Event> {
  readonly #subscriptions = new Set<{ readonly listener: Listener<Event> }>()
  readonly #waiting: Event[] = []
  #isTelling = false

  /** Starts telling `listener`; the function returned stops it and may be called again. */
  add(listener: Listener<Event>): () => void {
    const subscription = { listener }
    this.#subscriptions.add(subscription)
    return () => {
      this.#subscriptions.delete(subscription)
    }
  }

  /** Tells all. An event caused by a listener waits until every listener knows of the one before. */
  tell(event: Event): void {
    this.#waiting.push(event)
    if (this.#isTelling) return
    this.#isTelling = true
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      for (const subscription of [...this.#subscriptions]) {
        if (this.#subscriptions.has(subscription)) callSafely(subscription.listener, next)
      }
    }
    this.#isTelling = false
  }
}

/** A failing listener does not keep the others from being notified: the change has happened. */
function callSafely<Event>(listener: (event: Event) => unknown, event: Event): void {
  try {
    const outcome = listener(event)
    if (outcome instanceof Promise) outcome.catch(() => undefined)
  } catch {
    return
  }
}
