import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client'

/** Stays open for as long as the connection; what a server writes meanwhile is hardly its reply. */
const SUBSCRIPTION = 'subscriptions/listen'

/** The requests that a server was sent and has not answered. */
export class OpenRequests {
  // By text: some servers answer the number 5 with the string "5".
  readonly #ids = new Map<string, { readonly id: RequestId; readonly isSubscription: boolean }>()

  /** Takes note of a message to the server: a request opens, a cancellation ends. */
  sent(message: JSONRPCMessage): void {
    if (!('method' in message)) return
    if ('id' in message && message.id !== undefined) {
      this.#ids.set(String(message.id), { id: message.id, isSubscription: message.method === SUBSCRIPTION })
    } else if (message.method === 'notifications/cancelled') {
      this.#ids.delete(String(message.params?.['requestId']))
    }
  }

  has(id: RequestId): boolean {
    return this.#ids.has(String(id))
  }

  /** Closes the request with this id. @returns the id as it was sent; undefined when nobody waits for that reply */
  close(id: RequestId): RequestId | undefined {
    const open = this.#ids.get(String(id))
    this.#ids.delete(String(id))
    return open?.id
  }

  /** The request that a reply without a readable id must belong to, if only one waits. */
  only(): RequestId | undefined {
    const waiting = [...this.#ids.values()].filter(({ isSubscription }) => !isSubscription)
    return waiting.length === 1 ? waiting[0]?.id : undefined
  }

  clear(): void {
    this.#ids.clear()
  }
}
