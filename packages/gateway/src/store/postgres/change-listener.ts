import type { Client } from 'pg'
import type { Logger } from '../../telemetry/logger.ts'
import { CHANGE_CHANNEL } from '../flavour.ts'

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000

/** How to connect, and whom to tell. */
export interface ChangeListenerOptions {
  readonly connect: () => Client
  readonly changed: () => void
  readonly logger: Logger
}

/** Is told by PostgreSQL when another gateway changes something; connects again when the connection ends. */
export class ChangeListener {
  readonly #options: ChangeListenerOptions
  #client: Client | undefined
  #pauseMs = FIRST_PAUSE_MS
  #timer: NodeJS.Timeout | undefined
  #hasEnded = false

  constructor(options: ChangeListenerOptions) {
    this.#options = options
    void this.#connect()
  }

  async close(): Promise<void> {
    this.#hasEnded = true
    clearTimeout(this.#timer)
    await this.#client?.end().catch(() => {})
  }

  async #connect(): Promise<void> {
    const client = this.#options.connect()
    this.#client = client
    client.on('notification', () => this.#options.changed())
    client.on('error', (error) => this.#again(client, error))
    client.on('end', () => this.#again(client))
    try {
      await client.connect()
      await client.query(`listen ${CHANGE_CHANNEL}`)
      this.#pauseMs = FIRST_PAUSE_MS
      // Something may have changed while nobody listened.
      this.#options.changed()
    } catch (error) {
      this.#again(client, error)
    }
  }

  #again(client: Client, error?: unknown): void {
    if (this.#hasEnded || this.#client !== client) return
    this.#client = undefined
    this.#options.logger.debug(
      { error: error instanceof Error ? error.message : 'ended' },
      'PostgreSQL does not tell of changes now; polling goes on',
    )
    client.end().catch(() => {})
    this.#timer = setTimeout(() => void this.#connect(), this.#pauseMs * (0.5 + Math.random())).unref()
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS)
  }
}
