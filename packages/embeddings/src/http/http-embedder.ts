import type { Embedder, EmbedOptions, ToolSearchError } from '@tooldex/search'
import { batchesOf, type Batch } from './batches.ts'
import { Breaker } from './breaker.ts'
import { AttemptFailure, serviceFailure } from './failure.ts'
import { postTexts } from './post-texts.ts'
import { serviceAddress } from './service-address.ts'

/** An OpenAI-compatible service: Ollama, vLLM, OpenAI and others. */
export interface HttpEmbedderOptions {
  /** Its `/v1/embeddings`, or the address up to `/v1`, or only the host. */
  readonly url: string
  readonly model: string
  /** Sent as a bearer token, to this address only; in no error and no log. */
  readonly apiKey?: string
  /** Length of the vectors; asked of the service. Learned from its first answer if absent. */
  readonly dimensions?: number
  /** What the model's nearness counts beside words, in multiples of what the built-in table's does. Default 1. */
  readonly weight?: number
  /** For one request. Default 30,000. */
  readonly timeoutMs?: number
  /** How often a request is made that fails in passing. Default 3. */
  readonly attempts?: number
}

/** What the embedder needs of its surroundings; the platform's own by default. */
export interface HttpEmbedderParts {
  readonly fetch?: typeof fetch
  /** Milliseconds. */
  readonly now?: () => number
  /** 0 to 1. */
  readonly random?: () => number
  /** Resolves after so many milliseconds; rejects with the signal's reason. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>
}

const FAILURES_UNTIL_OPEN = 3
const OPEN_MS = 30_000
const FIRST_DELAY_MS = 250

/** Has texts embedded by a service. Waits for it within limits, checks what it says, and leaves it alone while it is down. */
export class HttpEmbedder implements Embedder {
  readonly id: string
  readonly weight: number
  readonly #options: HttpEmbedderOptions
  readonly #parts: Required<HttpEmbedderParts>
  readonly #address: URL
  readonly #breaker: Breaker
  readonly #closing = new AbortController()
  #dimensions: number

  /** @throws ToolSearchError INVALID_ARGUMENTS when the address is none. */
  constructor(options: HttpEmbedderOptions, parts: HttpEmbedderParts = {}) {
    this.#options = options
    this.#parts = { fetch, now: Date.now, random: Math.random, wait: waitFor, ...parts }
    this.#address = serviceAddress(options.url)
    this.#dimensions = options.dimensions ?? 0
    this.weight = options.weight ?? 1
    const { host, pathname } = this.#address
    this.id = `http:${host}${pathname}:${options.model}${options.dimensions === undefined ? '' : `@${options.dimensions}`}`
    this.#breaker = new Breaker({ failures: FAILURES_UNTIL_OPEN, openMs: OPEN_MS, now: this.#parts.now })
  }

  get dimensions(): number {
    return this.#dimensions
  }

  async embed(texts: readonly string[], { signal }: EmbedOptions = {}): Promise<readonly Float32Array[]> {
    const stop = signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal])
    const vectors: (Float32Array | undefined)[] = texts.map(() => undefined)
    for (const batch of batchesOf(texts)) {
      stop.throwIfAborted()
      const answers = await this.#embedBatch(batch, stop)
      for (const [at, place] of batch.places.entries()) vectors[place] = answers[at]
    }
    stop.throwIfAborted()
    return vectors.map((vector) => vector ?? new Float32Array(this.#dimensions))
  }

  /** Ends what is under way and answers nothing more. */
  close(): void {
    this.#closing.abort(serviceFailure(this.#address.host, 'is no longer asked', 'the embedder was closed'))
  }

  async #embedBatch(batch: Batch, signal: AbortSignal): Promise<readonly Float32Array[]> {
    const openMs = this.#breaker.enter()
    if (openMs > 0) throw this.#isLeftAlone(openMs)
    try {
      const vectors = await this.#persist(batch, signal)
      this.#breaker.succeeded()
      this.#dimensions = vectors[0]?.length ?? this.#dimensions
      return vectors
    } catch (error) {
      if (!(error instanceof AttemptFailure)) {
        this.#breaker.abandoned()
        throw error
      }
      this.#breaker.failed()
      throw serviceFailure(this.#address.host, error.message, error.remedy, error.cause)
    }
  }

  /** Tries again after failures that pass, later each time; the jitter keeps several gateways from coming at once. */
  async #persist(batch: Batch, signal: AbortSignal): Promise<readonly Float32Array[]> {
    const { attempts = 3 } = this.#options
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#post(batch, signal)
      } catch (error) {
        if (!(error instanceof AttemptFailure) || !error.isPassing || attempt >= attempts) throw error
        const delay = FIRST_DELAY_MS * 2 ** (attempt - 1) * (0.5 + this.#parts.random())
        await this.#parts.wait(Math.max(delay, error.retryAfterMs ?? 0), signal)
      }
    }
  }

  #post({ texts }: Batch, signal: AbortSignal): Promise<Float32Array[]> {
    const { model, apiKey, dimensions, timeoutMs = 30_000 } = this.#options
    return postTexts({
      address: this.#address,
      model,
      ...(apiKey !== undefined && { apiKey }),
      ...(dimensions !== undefined && { wantedDimensions: dimensions }),
      dimensions: this.#dimensions,
      texts,
      timeoutMs,
      signal,
      fetch: this.#parts.fetch,
      now: this.#parts.now,
    })
  }

  #isLeftAlone(openMs: number): ToolSearchError {
    const problem = `failed ${FAILURES_UNTIL_OPEN} times in a row`
    return serviceFailure(this.#address.host, problem, `it is asked again in ${Math.ceil(openMs / 1_000)} s`)
  }
}

function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    }, ms)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
}
