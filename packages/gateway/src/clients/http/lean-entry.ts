// The door for requests that are plain from their first byte to their last: read, answered and written without Node's
// HTTP server, which is most of what a small call costs. Whatever is not plain goes to it with its connection, for good.

import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { LeanConnection, type LeanEntryParts } from './lean-connection.ts'

/** Puts the door in front of Node's own, which gets every connection that is not plain. */
export function leanEntryBefore(server: Server, parts: Omit<LeanEntryParts, 'toNode'>): LeanEntry {
  const listeners = server.listeners('connection') as ((this: Server, socket: Socket) => void)[]
  const toNode = (socket: Socket): void => listeners.forEach((listener) => listener.call(server, socket))
  const entry = new LeanEntry({ ...parts, toNode })
  server.removeAllListeners('connection')
  server.on('connection', (socket) => entry.take(socket))
  return entry
}

/** Half of requests, of all connections together: more than clients ever have under way, and little enough for a flood. */
const MOST_KEPT_BYTES = 16 * 1024 * 1024
/** Letting go of a connection takes a moment: so many in one go, then others get theirs. */
const JUDGED_AT_ONCE = 25

/** Connections as they come, until they turn out not to be plain. */
export class LeanEntry {
  readonly #parts: LeanEntryParts
  readonly #connections = new Set<LeanConnection>()
  #keptBytes = 0
  #isClosing = false
  #date = ''
  #dateUntil = 0

  constructor(parts: LeanEntryParts) {
    this.#parts = parts
  }

  /** How many connections are here. */
  get size(): number {
    return this.#connections.size
  }

  /** Takes a new connection. */
  take(socket: Socket): void {
    const gone = (connection: LeanConnection): void => void this.#connections.delete(connection)
    const date = (): string => this.#dateText()
    const keep = (bytes: number): boolean => this.#keep(bytes)
    const isClosing = (): boolean => this.#isClosing
    this.#connections.add(new LeanConnection(socket, this.#parts, { gone, date, keep, isClosing }))
  }

  /** Lets go of those that take too long. To be called now and then. */
  sweep(): void {
    const overdue: LeanConnection[] = []
    for (const connection of this.#connections) if (connection.isOverdue) overdue.push(connection)
    this.#judge(overdue)
  }

  /** Ends every connection as soon as it has nothing open. */
  close(): void {
    this.#isClosing = true
    for (const connection of this.#connections) connection.endIfIdle()
  }

  /** Ends all that are left. */
  destroy(): void {
    for (const connection of this.#connections) connection.destroy()
  }

  #judge(overdue: LeanConnection[]): void {
    for (const connection of overdue.splice(0, JUDGED_AT_ONCE)) connection.judge()
    if (overdue.length > 0) setImmediate(() => this.#judge(overdue))
  }

  #keep(bytes: number): boolean {
    if (bytes > 0 && this.#keptBytes + bytes > MOST_KEPT_BYTES) return false
    this.#keptBytes += bytes
    return true
  }

  /** Headers tell whole seconds. */
  #dateText(): string {
    const now = Date.now()
    if (now >= this.#dateUntil || now < this.#dateUntil - 1_000) {
      this.#date = new Date(now).toUTCString()
      this.#dateUntil = now - (now % 1_000) + 1_000
    }
    return this.#date
  }
}
