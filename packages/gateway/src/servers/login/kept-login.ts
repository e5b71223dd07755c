import type { LoginStore } from '../../model/store.ts'
import { type LoginRecord, readRecord } from './login-record.ts'

/** What is kept of one server's login: read and changed one after the other, so that no change undoes another. */
export class KeptLogin {
  readonly #serverId: string
  readonly #bond: string
  readonly #store: LoginStore
  #latest: LoginRecord | undefined
  #isUnsaved = false
  #turn: Promise<unknown> = Promise.resolve()

  constructor(serverId: string, bond: string, store: LoginStore) {
    this.#serverId = serverId
    this.#bond = bond
    this.#store = store
  }

  /** As last read or changed here; absent before that. */
  get latest(): LoginRecord | undefined {
    return this.#latest
  }

  /** As last read or changed here; read if need be. */
  async load(): Promise<LoginRecord> {
    return this.#latest ?? this.reload()
  }

  /** As it is in the store, which other processes may have changed; as last known while the store cannot be read. */
  reload(): Promise<LoginRecord> {
    return this.#inTurn(async () => {
      try {
        this.#latest = await this.#read()
      } catch {
        return this.#latest ?? { bond: this.#bond }
      }
      return this.#latest
    })
  }

  /**
   * Changes what is in the store now. A change that the store does not take holds here and is written with the next one:
   * a renewed token that was thrown away could never be renewed again.
   * @throws what the store throws, where nothing is known to change
   */
  async change(edit: (record: LoginRecord) => LoginRecord): Promise<void> {
    await this.#inTurn(async () => {
      const before = await this.#read().catch((error: unknown) => {
        if (this.#latest === undefined) throw error
        return this.#latest
      })
      this.#latest = edit(before)
      this.#isUnsaved = true
      await this.#write().catch(() => undefined)
    })
  }

  async forget(): Promise<void> {
    await this.#inTurn(async () => {
      await this.#store.remove(this.#serverId)
      this.#latest = { bond: this.#bond }
      this.#isUnsaved = false
    })
  }

  /** What could not be written yet is newer than what is in the store. */
  async #read(): Promise<LoginRecord> {
    if (this.#isUnsaved) await this.#write()
    return readRecord(await this.#store.load(this.#serverId), this.#bond)
  }

  async #write(): Promise<void> {
    await this.#store.save(this.#serverId, this.#latest as unknown as Readonly<Record<string, unknown>>)
    this.#isUnsaved = false
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work)
    this.#turn = mine.catch(() => undefined)
    return mine
  }
}
