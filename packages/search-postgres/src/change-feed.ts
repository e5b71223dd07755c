import { escapeIdentifier, type Pool, type PoolClient } from 'pg'

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000

/**
 * Hears from the database that an index changed, on one connection for all indexes of a process. A lost connection is
 * opened again, and everybody is told to look then, because what was said meanwhile is lost.
 */
export class ChangeFeed {
  readonly #pool: Pool
  readonly #channel: string
  readonly #listeners = new Map<number, Set<() => void>>()
  #client: PoolClient | undefined
  #retry: NodeJS.Timeout | undefined
  #pauseMs = FIRST_PAUSE_MS
  #isClosed = false

  constructor(pool: Pool, channel: string) {
    this.#pool = pool
    this.#channel = channel
  }

  /** Starts to hear. Does not fail: where the database is away, it tries again until it is back. */
  async open(): Promise<void> {
    if (this.#isClosed) return
    try {
      const client = await this.#pool.connect()
      this.#client = client
      client.on('error', () => this.#lost(client))
      client.on('end', () => this.#lost(client))
      client.on('notification', ({ payload }) => this.#tell(Number(payload)))
      await client.query(`listen ${escapeIdentifier(this.#channel)}`)
      this.#pauseMs = FIRST_PAUSE_MS
      this.#tellAll()
    } catch {
      this.#lost(this.#client)
    }
    if (this.#isClosed) this.#drop()
  }

  /** Calls `listener` when the index may have changed; the function returned stops it. */
  listen(indexId: number, listener: () => void): () => void {
    const listeners = this.#listeners.get(indexId) ?? new Set()
    this.#listeners.set(indexId, listeners.add(listener))
    return () => {
      listeners.delete(listener)
    }
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#retry)
    this.#drop()
  }

  #lost(client: PoolClient | undefined): void {
    if (this.#isClosed || client !== this.#client) return
    this.#drop()
    this.#retry = setTimeout(() => void this.open(), this.#pauseMs).unref()
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS)
  }

  /** Destroyed rather than given back: a connection that listens is of no use to others. */
  #drop(): void {
    const client = this.#client
    this.#client = undefined
    client?.removeAllListeners('end')
    client?.release(true)
  }

  #tell(indexId: number): void {
    for (const listener of this.#listeners.get(indexId) ?? []) listener()
  }

  #tellAll(): void {
    for (const indexId of this.#listeners.keys()) this.#tell(indexId)
  }
}
