import { ThreadLife } from './thread-life.ts'
import type { ThreadAnswer, ThreadSetup } from './thread-messages.ts'

/** A SQLite file, open in a thread of its own. A thread that broke down is followed by another. */
export class SqliteFile {
  readonly #setup: ThreadSetup
  #life: ThreadLife
  #reopening: Promise<ThreadLife> | undefined
  /** In whose life the transaction of a connection began. It must not go on in another's, where there is none. */
  readonly #begunIn = new Map<string, ThreadLife>()

  constructor(setup: ThreadSetup) {
    this.#setup = setup
    this.#life = new ThreadLife(setup)
  }

  /** Opens the connections. Resolves to whether the file holds together. */
  async open(): Promise<boolean> {
    const [answer] = (await this.#life.ask({ kind: 'open' })).rows as { intact: 0 | 1 }[]
    return answer?.intact === 1
  }

  /** Runs one statement. */
  async run(connection: string, sql: string, parameters: readonly unknown[] = []): Promise<ThreadAnswer> {
    const begunIn = this.#begunIn.get(connection)
    if (sql === 'commit' || sql === 'rollback') this.#begunIn.delete(connection)
    if (sql === 'rollback' && begunIn?.hasFailed === true) return { id: 0, rows: [] }
    const life = begunIn ?? (await this.#living())
    const answer = await life.ask({ kind: 'run', connection, sql, parameters })
    if (sql.startsWith('begin')) this.#begunIn.set(connection, life)
    return answer
  }

  async close(): Promise<void> {
    await this.#reopening?.catch(() => {})
    await this.#life.close()
  }

  #living(): ThreadLife | Promise<ThreadLife> {
    if (!this.#life.hasFailed) return this.#life
    this.#reopening ??= this.#reopen().finally(() => {
      this.#reopening = undefined
    })
    return this.#reopening
  }

  async #reopen(): Promise<ThreadLife> {
    const life = new ThreadLife(this.#setup)
    try {
      await life.ask({ kind: 'open' })
    } catch (error) {
      await life.close()
      throw error
    }
    this.#life = life
    return life
  }
}
