import type { SqlDatabase } from './sql-database.ts'
import { toStorable } from './storable-text.ts'

const FLUSH_MS = 5_000

/** The dependencies of {@link TokenUses}. */
export interface TokenUsesOptions {
  readonly database: SqlDatabase
  /** Receives the written uses, by token id. */
  readonly onWritten: (uses: ReadonlyMap<string, number>) => void
  readonly onProblem: (error: unknown) => void
}

/** Records when tokens were last used, and writes it every few seconds. A crash may lose the last ones. */
export class TokenUses {
  readonly #options: TokenUsesOptions
  #uses = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: TokenUsesOptions) {
    this.#options = options
  }

  note(tokenId: string, at: number): void {
    if ((this.#uses.get(tokenId) ?? 0) >= at) return
    this.#uses.set(tokenId, at)
    if (!this.#isClosed) this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref()
  }

  /** Writes recorded uses. Never throws: after a failure they wait for the next write. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#uses.size === 0) return
    const uses = this.#uses
    this.#uses = new Map()
    try {
      await this.#write(uses)
      this.#options.onWritten(uses)
    } catch (error) {
      this.#options.onProblem(error)
      for (const [tokenId, at] of uses) this.note(tokenId, at)
    }
  }

  /** Writes recorded uses a last time. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.flush()
  }

  #write(uses: ReadonlyMap<string, number>): Promise<void> {
    return this.#options.database.write(
      async (transaction) => {
        for (const [tokenId, at] of uses) {
          await transaction
            .updateTable('tokens')
            .set({ last_used_at: at })
            .where('id', '=', toStorable(tokenId))
            .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', at)]))
            .execute()
        }
      },
      { isQuick: true, retryForMs: 1_000 },
    )
  }
}
