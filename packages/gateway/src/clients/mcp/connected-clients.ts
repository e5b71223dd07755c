import type { ClientNotifier, ListeningClient, ListKind, Recipient } from './requests/request-handler.ts'

/** What clients are notified of outside of their requests. */
export type ClientEvent =
  | { readonly kind: ListKind }
  | { readonly kind: 'updated'; readonly uri: string }
  | { readonly kind: 'logged'; readonly params: Readonly<Record<string, unknown>> }

/** The method of the notification for each event. */
export const EVENT_METHOD = {
  tools: 'notifications/tools/list_changed',
  prompts: 'notifications/prompts/list_changed',
  resources: 'notifications/resources/list_changed',
  updated: 'notifications/resources/updated',
  logged: 'notifications/message',
} as const satisfies Record<ClientEvent['kind'], string>

/** A client that is connected. */
export interface ConnectedClient extends ListeningClient {
  /** Whether it subscribed to the resource. */
  watches(uri: string): boolean
  deliver(event: ClientEvent): void
}

/** A clock and timers; tests bring their own. */
export interface Timing {
  readonly now: () => number
  readonly after: (ms: number, run: () => void) => () => void
}

/** Real time. The timers do not keep the process alive. */
const REAL_TIME: Timing = {
  now: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms).unref()
    return () => clearTimeout(timer)
  },
}

/** A client is notified of the same change at most once in this time; the last change is never lost. */
const QUIET_MS = 1_000

/** All clients that can be notified, each of changes that it may know of. */
export class ConnectedClients implements ClientNotifier {
  readonly #timing: Timing
  readonly #clients = new Map<string, { client: ConnectedClient; pace: Pace }>()
  readonly #joining: ((client: ListeningClient) => () => void)[] = []

  constructor(timing: Timing = REAL_TIME) {
    this.#timing = timing
  }

  /** Adds a client until the returned function is called. */
  add(client: ConnectedClient): () => void {
    const entry = { client, pace: new Pace(client, this.#timing) }
    this.#clients.set(client.id, entry)
    const leaving = this.#joining.map((join) => join(client))
    return () => {
      entry.pace.stop()
      for (const leave of leaving) leave()
      if (this.#clients.get(client.id) === entry) this.#clients.delete(client.id)
    }
  }

  onJoin(listener: (client: ListeningClient) => () => void): void {
    this.#joining.push(listener)
  }

  listChanged(kind: ListKind, client: ListeningClient): void {
    if (client.rights() !== undefined) this.#clients.get(client.id)?.pace.notify({ kind })
  }

  resourceUpdated(uriFor: (client: Recipient) => string | undefined, sessionId?: string): void {
    for (const { client, pace } of this.#clients.values()) {
      if (sessionId !== undefined && sessionId !== client.id) continue
      const rights = client.rights()
      const uri = rights && uriFor(rights)
      if (uri !== undefined && (sessionId !== undefined || client.watches(uri))) pace.notify({ kind: 'updated', uri })
    }
  }

  logged(sessionId: string, params: Readonly<Record<string, unknown>>): void {
    const client = this.#clients.get(sessionId)?.client
    if (client?.rights() !== undefined) client.deliver({ kind: 'logged', params })
  }
}

/** Notifies one client: of the first of a burst at once, of the rest once when the quiet time is over. */
class Pace {
  readonly #client: ConnectedClient
  readonly #timing: Timing
  readonly #waits = new Map<string, { again: boolean; cancel: () => void }>()

  constructor(client: ConnectedClient, timing: Timing) {
    this.#client = client
    this.#timing = timing
  }

  notify(event: ClientEvent): void {
    const key = event.kind === 'updated' ? `updated ${event.uri}` : event.kind
    const wait = this.#waits.get(key)
    if (wait !== undefined) wait.again = true
    else this.#deliver(key, event)
  }

  stop(): void {
    for (const wait of this.#waits.values()) wait.cancel()
    this.#waits.clear()
  }

  #deliver(key: string, event: ClientEvent): void {
    const wait = { again: false, cancel: this.#timing.after(QUIET_MS, () => this.#quietOver(key, event)) }
    this.#waits.set(key, wait)
    this.#client.deliver(event)
  }

  #quietOver(key: string, event: ClientEvent): void {
    const wait = this.#waits.get(key)
    this.#waits.delete(key)
    // The token may have been revoked in the meantime.
    if (wait?.again === true && this.#client.rights() !== undefined) this.#deliver(key, event)
  }
}
