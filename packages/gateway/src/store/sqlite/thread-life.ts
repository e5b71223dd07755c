import { Worker } from 'node:worker_threads'
import type { ThreadAnswer, ThreadRequest, ThreadSetup } from './thread-messages.ts'

/** A request without its number. */
export type Ask = ThreadRequest extends infer Request ? (Request extends unknown ? Omit<Request, 'id'> : never) : never

interface Waiting {
  readonly resolve: (answer: ThreadAnswer) => void
  readonly reject: (error: Error) => void
}

/** The thread was closed. */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded'
}

/** The thread broke down. What was committed is in the file; what had begun is undone by SQLite. */
export class ThreadFailed extends Error {
  override readonly name = 'ThreadFailed'
}

/** In the sources a thread runs TypeScript as well. */
const THREAD = new URL(import.meta.url.endsWith('.ts') ? './sqlite-thread.ts' : './sqlite-thread.js', import.meta.url)

/** No answer is as large as this; one that would be must not take the whole program's memory. */
const MOST_MEMORY_MB = 512

/** A thread from its start to its end. Asking it keeps the process alive until it has answered. */
export class ThreadLife {
  readonly #thread: Worker
  readonly #waiting = new Map<number, Waiting>()
  #lastId = 0
  #end: Error | undefined

  constructor({ memoryMb = MOST_MEMORY_MB, ...workerData }: ThreadSetup) {
    // Flags of the main program, such as those of a test runner, are not the thread's.
    const resourceLimits = { maxOldGenerationSizeMb: memoryMb }
    this.#thread = new Worker(THREAD, { workerData, execArgv: [], resourceLimits })
    this.#thread.unref()
    this.#thread.on('message', (answer: ThreadAnswer) => this.#take(answer))
    this.#thread.on('error', (cause) => this.#giveUp(new ThreadFailed('The thread of the database failed', { cause })))
    this.#thread.on('exit', () => this.#giveUp(new ThreadEnded('The database is closed')))
  }

  /** Whether it broke down. */
  get hasFailed(): boolean {
    return this.#end instanceof ThreadFailed
  }

  /** @throws ThreadEnded, ThreadFailed, or what SQLite says */
  ask(ask: Ask): Promise<ThreadAnswer> {
    if (this.#end !== undefined) return Promise.reject(this.#end)
    const id = ++this.#lastId
    const { promise, resolve, reject } = Promise.withResolvers<ThreadAnswer>()
    this.#waiting.set(id, { resolve, reject })
    this.#thread.ref()
    this.#thread.postMessage({ ...ask, id })
    return promise
  }

  async close(): Promise<void> {
    if (this.#end === undefined) await this.ask({ kind: 'close' })
    await this.#thread.terminate()
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
