import { Worker } from 'node:worker_threads'
import { ownProgram } from '../../package-files.ts'
import type { ConnectionSetup } from './sqlite-connections.ts'
import type { ThreadAnswer, ThreadRequest } from './thread-messages.ts'

type Ask = ThreadRequest extends infer Request ? (Request extends unknown ? Omit<Request, 'id'> : never) : never

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

const THREAD = ownProgram('store/sqlite/sqlite-thread')

/** A thread from its start to its end. Asking it keeps the process alive until it has answered. */
export class ThreadLife {
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  #lastId = 0
  #hasAnswered = false
  #end: Error | undefined

  /** @param memoryMb An answer that would be larger ends the thread rather than the whole program. */
  constructor(setup: ConnectionSetup, memoryMb: number) {
    // Flags of the main program, such as those of a test runner, are not the thread's.
    const resourceLimits = { maxOldGenerationSizeMb: memoryMb }
    this.#worker = new Worker(THREAD, { workerData: setup, execArgv: [], resourceLimits })
    this.#worker.unref()
    this.#worker.on('message', (answer: ThreadAnswer) => this.#take(answer))
    this.#worker.on('error', (cause) => this.#giveUp(new ThreadFailed('The thread of the database failed', { cause })))
    this.#worker.on('exit', () => this.#giveUp(new ThreadEnded('The database is closed')))
  }

  /** Whether it has answered before, and can again. */
  get isReady(): boolean {
    return this.#hasAnswered && !this.isOver
  }

  /** Whether it was closed or broke down. */
  get isOver(): boolean {
    return this.#end !== undefined
  }

  /** @throws ThreadEnded, ThreadFailed, or what SQLite says */
  ask(ask: Ask): Promise<ThreadAnswer> {
    if (this.#end !== undefined) return Promise.reject(this.#end)
    const id = ++this.#lastId
    const { promise, resolve, reject } = Promise.withResolvers<ThreadAnswer>()
    this.#waiting.set(id, { resolve, reject })
    this.#worker.ref()
    this.#worker.postMessage({ ...ask, id })
    return promise
  }

  async close(): Promise<void> {
    if (this.#end === undefined) await this.ask({ kind: 'close' })
    await this.#worker.terminate()
  }

  #take(answer: ThreadAnswer): void {
    this.#hasAnswered = true
    const waiting = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    if (this.#waiting.size === 0) this.#worker.unref()
    if (answer.error === undefined) waiting?.resolve(answer)
    else waiting?.reject(Object.assign(new Error(answer.error.message), answer.error))
  }

  #giveUp(error: Error): void {
    this.#end ??= error
    for (const { reject } of this.#waiting.values()) reject(this.#end)
    this.#waiting.clear()
  }
}
