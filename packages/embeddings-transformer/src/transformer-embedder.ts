import { Worker } from 'node:worker_threads'
import { type Embedder, type EmbedOptions, ToolSearchError } from '@tooldex/search'
import type { ModelAnswer, ModelRequest } from './model-messages.ts'

/** How the model is run. */
export interface TransformerEmbedderOptions {
  /** For one text; the first one also waits for the model. Default 30,000. */
  readonly timeoutMs?: number
  /** Starts the thread that the model runs in. */
  readonly startWorker?: () => Worker
}

/** The model reads 128 tokens; in no language are these more characters. */
const MOST_CHARACTERS = 2_000

/**
 * all-MiniLM-L6-v2 in a thread of its own, loaded at first use. Texts of searches overtake those of tools. Only
 * searches keep the process alive; tools are embedded while it runs for other reasons.
 */
export class TransformerEmbedder implements Embedder {
  readonly id = 'all-MiniLM-L6-v2-fp16@128'
  readonly dimensions = 384
  readonly language = 'en'
  /** It understands whole sentences; the weight was measured (`docs/explain/ranking.md`). */
  readonly weight = 2
  readonly #timeoutMs: number
  readonly #startWorker: () => Worker
  readonly #waiting = new TextQueue()
  #worker: Worker | undefined
  #current: WaitingText | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor({ timeoutMs = 30_000, startWorker = startModelWorker }: TransformerEmbedderOptions = {}) {
    this.#timeoutMs = timeoutMs
    this.#startWorker = startWorker
  }

  async embed(texts: readonly string[], options: EmbedOptions = {}): Promise<readonly Float32Array[]> {
    options.signal?.throwIfAborted()
    return Promise.all(texts.map((text) => this.#vectorOf(text, options)))
  }

  /** Ends the thread; requests under way fail, and so does every later one. */
  async close(): Promise<void> {
    this.#isClosed = true
    const worker = this.#worker
    this.#fail('it was closed')
    await worker?.terminate()
  }

  #vectorOf(text: string, { purpose, signal }: EmbedOptions): Promise<Float32Array> {
    const read = text.slice(0, MOST_CHARACTERS).toWellFormed()
    if (read.trim() === '') return Promise.resolve(new Float32Array(this.dimensions))
    if (this.#isClosed) return Promise.reject(failure('it was closed'))
    return new Promise<Float32Array>((resolve, reject) => {
      const abort = (): void => {
        this.#waiting.remove(waiting)
        reject(signal?.reason)
      }
      const settle = (end: () => void): void => {
        signal?.removeEventListener('abort', abort)
        end()
      }
      const waiting: WaitingText = {
        text: read,
        isUrgent: purpose !== 'tool',
        resolve: (vector) => settle(() => resolve(vector)),
        reject: (reason) => settle(() => reject(reason)),
      }
      signal?.addEventListener('abort', abort, { once: true })
      this.#waiting.add(waiting)
      this.#sendNext()
    })
  }

  #sendNext(): void {
    if (this.#current === undefined) {
      this.#current = this.#waiting.next()
      if (this.#current !== undefined) this.#send(this.#current)
    }
    const isAwaited = this.#current?.isUrgent === true || this.#waiting.hasUrgent
    if (isAwaited) this.#worker?.ref()
    else this.#worker?.unref()
  }

  #send({ text }: WaitingText): void {
    try {
      this.#worker ??= this.#newWorker()
    } catch (error) {
      return this.#fail('its thread could not be started', error)
    }
    const late = (): void => this.#fail(`it did not answer within ${this.#timeoutMs} ms`)
    this.#timer = setTimeout(late, this.#timeoutMs).unref()
    this.#worker.postMessage({ text } satisfies ModelRequest)
  }

  #newWorker(): Worker {
    const worker = this.#startWorker()
    // A worker that was given up may still send messages.
    const ifOurs = (act: () => void): void => {
      if (this.#worker === worker) act()
    }
    worker.on('message', (answer: ModelAnswer) => ifOurs(() => this.#take(answer)))
    worker.on('error', (error) => ifOurs(() => this.#fail('its thread failed', error)))
    worker.on('exit', (code) => ifOurs(() => this.#fail(`its thread ended with code ${code}`)))
    return worker
  }

  #take({ vector }: ModelAnswer): void {
    clearTimeout(this.#timer)
    const current = this.#current
    this.#current = undefined
    const isVector =
      vector instanceof Float32Array && vector.length === this.dimensions && vector.every(Number.isFinite)
    if (isVector) current?.resolve(vector)
    else current?.reject(failure('it answered with something that is not a vector'))
    this.#sendNext()
  }

  /** Rejects all waiting texts; the next use starts a new thread. */
  #fail(problem: string, cause?: unknown): void {
    clearTimeout(this.#timer)
    const worker = this.#worker
    const waiting = [...(this.#current === undefined ? [] : [this.#current]), ...this.#waiting.drain()]
    this.#worker = undefined
    this.#current = undefined
    void worker?.terminate()
    for (const each of waiting) each.reject(failure(problem, cause))
  }
}

function failure(problem: string, cause?: unknown): ToolSearchError {
  const reason = `the sentence model cannot be used: ${problem}; it is tried again with the next search, and installing @tooldex/embeddings-transformer anew mends missing files`
  return new ToolSearchError('EMBEDDER_FAILED', { reason }, cause === undefined ? {} : { cause })
}

/** Beside this file, which is TypeScript in the repository and JavaScript in the package. */
function startModelWorker(): Worker {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  // The process may have been started with flags that are about its own program.
  return new Worker(new URL(`./model-worker.${extension}`, import.meta.url), { execArgv: [] })
}

/** A text that waits for its vector. */
interface WaitingText {
  readonly text: string
  /** Whether it belongs to a search. */
  readonly isUrgent: boolean
  resolve(vector: Float32Array): void
  reject(reason: unknown): void
}

/** The queue of the model: texts of searches first, each kind in the order of arrival. */
class TextQueue {
  readonly #urgent = new Set<WaitingText>()
  readonly #others = new Set<WaitingText>()

  add(waiting: WaitingText): void {
    this.#of(waiting).add(waiting)
  }

  /** Removes a text whose request was aborted. */
  remove(waiting: WaitingText): void {
    this.#of(waiting).delete(waiting)
  }

  /** Takes out the next one. */
  next(): WaitingText | undefined {
    for (const waiting of this.#urgent.size > 0 ? this.#urgent : this.#others) {
      this.remove(waiting)
      return waiting
    }
    return undefined
  }

  /** Takes out all. */
  drain(): WaitingText[] {
    const all = [...this.#urgent, ...this.#others]
    this.#urgent.clear()
    this.#others.clear()
    return all
  }

  get hasUrgent(): boolean {
    return this.#urgent.size > 0
  }

  #of({ isUrgent }: WaitingText): Set<WaitingText> {
    return isUrgent ? this.#urgent : this.#others
  }
}
