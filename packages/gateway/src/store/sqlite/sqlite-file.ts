import { Worker } from 'node:worker_threads'
import { ownProgram } from '../../package-files.ts'
import type { ThreadAnswer, ThreadRequest, ThreadSetup } from './thread-messages.ts'

type Ask = ThreadRequest extends infer Request ? (Request extends unknown ? Omit<Request, 'id'> : never) : never

interface Waiting {
  readonly resolve: (answer: ThreadAnswer) => void
  readonly reject: (error: Error) => void
}

/** The thread is no more: it was closed, or it failed. */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded'
}

const THREAD = ownProgram('store/sqlite/sqlite-thread')

/** A SQLite file, open in a thread of its own. Asking it keeps the process alive until it has answered. */
export class SqliteFile {
  readonly #thread: Worker
  readonly #waiting = new Map<number, Waiting>()
  #lastId = 0
  #end: Error | undefined

  constructor(setup: ThreadSetup) {
    // Flags of the main program, such as those of a test runner, are not the thread's.
    this.#thread = new Worker(THREAD, { workerData: setup, execArgv: [] })
    this.#thread.unref()
    this.#thread.on('message', (answer: ThreadAnswer) => this.#take(answer))
    this.#thread.on('error', (error) =>
      this.#giveUp(new ThreadEnded('The thread of the database failed', { cause: error })),
    )
    this.#thread.on('exit', () => this.#giveUp(new ThreadEnded('The database is closed')))
  }

  /** Opens the connections. Resolves to whether the file holds together. */
  async open(): Promise<boolean> {
    const [answer] = (await this.#ask({ kind: 'open' })).rows as { intact: 0 | 1 }[]
    return answer?.intact === 1
  }

  /** Runs one statement. */
  run(connection: string, sql: string, parameters: readonly unknown[] = []): Promise<ThreadAnswer> {
    return this.#ask({ kind: 'run', connection, sql, parameters })
  }

  async close(): Promise<void> {
    if (this.#end === undefined) await this.#ask({ kind: 'close' })
    await this.#thread.terminate()
  }

  #ask(ask: Ask): Promise<ThreadAnswer> {
    if (this.#end !== undefined) return Promise.reject(this.#end)
    const id = ++this.#lastId
    const { promise, resolve, reject } = Promise.withResolvers<ThreadAnswer>()
    this.#waiting.set(id, { resolve, reject })
    this.#thread.ref()
    this.#thread.postMessage({ ...ask, id })
    return promise
  }

  #take(answer: ThreadAnswer): void {
    const waiting = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    if (this.#waiting.size === 0) this.#thread.unref()
    if (answer.error === undefined) waiting?.resolve(answer)
    else waiting?.reject(Object.assign(new Error(answer.error.message), answer.error))
  }

  #giveUp(error: Error): void {
    this.#end ??= error
    for (const { reject } of this.#waiting.values()) reject(this.#end)
    this.#waiting.clear()
  }
}
