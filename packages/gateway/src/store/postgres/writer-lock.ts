import type { Client } from 'pg'
import type { Turn } from '../../model/store.ts'

/** The dependencies of {@link WriterLock}. */
interface WriterLockParts {
  readonly connect: () => Client
  /** What is taken turns at; equal names exclude each other. */
  readonly name: string
  readonly onTurn: (isOurs: boolean) => void
  /** How often the lock is asked for, and the connection that holds it is checked. */
  readonly everyMs?: number
}

/** With it, another gateway writes some 4 seconds after the writer died. */
const EVERY_MS = 2_000

/**
 * An advisory lock of PostgreSQL: of all gateways on a database, one has it. It belongs to a transaction that stays open on a
 * connection of its own, so that the database takes it back when its gateway dies. A lock of the connection itself would be
 * given to several gateways by a pooler that changes the connection with every transaction.
 */
export class WriterLock implements Turn {
  readonly #parts: WriterLockParts
  readonly #timer: NodeJS.Timeout
  #client: Client | undefined
  #isOurs = false
  #isClosed = false
  #asking: Promise<void> | undefined

  constructor(parts: WriterLockParts) {
    this.#parts = parts
    this.#timer = setInterval(() => this.#ask(), parts.everyMs ?? EVERY_MS).unref()
    this.#ask()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    await this.#asking
    await this.#client?.end().catch(() => {})
    this.#become(false)
  }

  #ask(): void {
    this.#asking ??= this.#lock()
      .catch(() => this.#lose(this.#client))
      .finally(() => (this.#asking = undefined))
  }

  async #lock(): Promise<void> {
    const client = this.#client ?? (await this.#connected())
    // Asking anything shows whether the connection lives.
    if (this.#isOurs) return void (await client.query('select 1'))
    await client.query('begin')
    const sql = `select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as locked`
    const { rows } = await client.query<{ locked: boolean }>(sql, [this.#parts.name])
    const isLocked = rows[0]?.locked === true
    if (!isLocked) await client.query('rollback')
    if (!this.#isClosed && this.#client === client) this.#become(isLocked)
  }

  async #connected(): Promise<Client> {
    const client = this.#parts.connect()
    this.#client = client
    client.on('error', () => this.#lose(client))
    client.on('end', () => this.#lose(client))
    await client.connect()
    return client
  }

  #lose(client: Client | undefined): void {
    if (this.#client !== client) return
    this.#client = undefined
    client?.end().catch(() => {})
    this.#become(false)
  }

  #become(isOurs: boolean): void {
    if (this.#isOurs === isOurs) return
    this.#isOurs = isOurs
    this.#parts.onTurn(isOurs)
  }
}
