import type { SqlDatabase } from './sql-database.ts'
import { portionsOf } from './sql-pins.ts'
import { fromStorable, toStorable } from './storable-text.ts'

const FLUSH_MS = 5_000

/** The dependencies of {@link TokenUses}. */
export interface TokenUsesOptions {
  readonly database: SqlDatabase
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

  /** When tokens were last used, also by clients of other gateways; without those that never were. */
  async of(tokenIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const uses = new Map<string, number>()
    for (const portion of portionsOf(tokenIds)) {
      const rows = await this.#options.database.read((db) =>
        db.selectFrom('tokens').select(['id', 'last_used_at']).where('id', 'in', portion.map(toStorable)).execute(),
      )
      for (const { id, last_used_at } of rows) if (last_used_at !== null) uses.set(fromStorable(id), last_used_at)
    }
    for (const id of tokenIds) {
      const waiting = this.#uses.get(id)
      if (waiting !== undefined) uses.set(id, Math.max(waiting, uses.get(id) ?? 0))
    }
    return uses
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
