import type { Client, McpSubscription, SubscriptionFilter } from '@modelcontextprotocol/client'
import type { ListKind } from './mcp-connection.ts'

/** The part of a client that listens for changes. */
export type Listening = Pick<Client, 'listen'>

/**
 * The stream on which a 2026-07-28 server reports changes. It is reopened when the server ends it and when the watched
 * resources change; after a gap everything counts as changed, because notifications may have been missed.
 */
export class ChangeStream {
  readonly #client: Listening
  readonly #lists: readonly ListKind[]
  readonly #onGap: () => void
  readonly #uris = new Set<string>()
  #current: McpSubscription | undefined
  #turn: Promise<void> = Promise.resolve()
  #retry: NodeJS.Timeout | undefined
  #failures = 0
  #closed = false

  /** @param lists the lists whose changes the server reports, as declared */
  constructor(client: Listening, lists: readonly ListKind[], onGap: () => void) {
    this.#client = client
    this.#lists = lists
    this.#onGap = onGap
  }

  /** Opens the stream, or reopens it for the current set of resources. Never rejects: it retries until it is closed. */
  open(): Promise<void> {
    this.#turn = this.#turn.then(() => this.#swap()).catch(() => this.#again())
    return this.#turn
  }

  watch(uri: string): Promise<void> {
    if (this.#uris.has(uri)) return this.#turn
    this.#uris.add(uri)
    return this.open()
  }

  unwatch(uri: string): Promise<void> {
    return this.#uris.delete(uri) ? this.open() : this.#turn
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#retry)
    this.#current?.close().catch(() => {})
  }

  async #swap(): Promise<void> {
    if (this.#closed) return
    clearTimeout(this.#retry)
    const previous = this.#current
    const filter = this.#filter()
    const next = Object.keys(filter).length > 0 ? await this.#client.listen(filter, { timeout: 10_000 }) : undefined
    this.#current = next
    this.#failures = 0
    await previous?.close()
    void next?.closed.then((cause) => {
      if (cause !== 'local' && this.#current === next) this.#again()
    })
    if (this.#closed) await next?.close()
  }

  #again(): void {
    if (this.#closed) return
    clearTimeout(this.#retry)
    const delay = Math.min(30_000, 500 * 2 ** this.#failures++)
    this.#retry = setTimeout(() => {
      void this.open().then(() => this.#onGap())
    }, delay).unref()
  }

  #filter(): SubscriptionFilter {
    return {
      ...(this.#lists.includes('tools') && { toolsListChanged: true }),
      ...(this.#lists.includes('prompts') && { promptsListChanged: true }),
      ...(this.#lists.includes('resources') && { resourcesListChanged: true }),
      ...(this.#uris.size > 0 && { resourceSubscriptions: [...this.#uris] }),
    }
  }
}
