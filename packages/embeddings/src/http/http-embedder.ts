import { CircuitBreaker } from '@tooldex/http-kit/breaker'
import { serviceUrl, wait, withPath } from '@tooldex/http-kit/post'
import { type Embedder, type EmbedOptions, ToolSearchError } from '@tooldex/search'
import { AttemptFailure, requestVectors } from './embedding-request.ts'

/** An OpenAI-compatible service: Ollama, vLLM, OpenAI and others. */
export interface HttpEmbedderOptions {
  /** Its `/v1/embeddings`, or the address up to `/v1`, or only the host. */
  readonly url: string
  readonly model: string
  /** Sent as a bearer token, to this address only; in no error and no log. */
  readonly apiKey?: string
  /** Length of the vectors; sent to the service. Learned from its first answer if absent. */
  readonly dimensions?: number
  /** The weight of the model's similarity beside words, relative to that of the built-in table. Default 1. */
  readonly weight?: number
  /** For one request. Default 30,000. */
  readonly timeoutMs?: number
  /** How often a request with transient failures is made. Default 3. */
  readonly attempts?: number
}

/** Replaceable parts of the platform, for tests. */
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

/** Embeds texts through a service, within time limits. Checks its answers, and fails fast after three consecutive failures. */
export class HttpEmbedder implements Embedder {
  readonly id: string
  readonly weight: number
  readonly #options: HttpEmbedderOptions
  readonly #parts: Required<HttpEmbedderParts>
  readonly #url: URL
  readonly #breaker: CircuitBreaker
  readonly #closing = new AbortController()
  #dimensions: number

  /** @throws ToolSearchError INVALID_ARGUMENTS unless the URL is http(s) without credentials */
  constructor(options: HttpEmbedderOptions, parts: HttpEmbedderParts = {}) {
    this.#options = options
    this.#parts = { fetch, now: Date.now, random: Math.random, wait, ...parts }
    this.#url = withPath(serviceUrl(options.url, invalidUrl), '/embeddings')
    this.#dimensions = options.dimensions ?? 0
    this.weight = options.weight ?? 1
    const { host, pathname } = this.#url
    this.id = `http:${host}${pathname}:${options.model}${options.dimensions === undefined ? '' : `@${options.dimensions}`}`
    this.#breaker = new CircuitBreaker({ failures: FAILURES_UNTIL_OPEN, openMs: OPEN_MS, now: this.#parts.now })
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

  /** Aborts requests under way and makes no more. */
  close(): void {
    this.#closing.abort(serviceFailure(this.#url.host, 'is no longer asked', 'the embedder was closed'))
  }

  async #embedBatch(batch: Batch, signal: AbortSignal): Promise<readonly Float32Array[]> {
    const openMs = this.#breaker.enter()
    if (openMs > 0) throw this.#isOpen(openMs)
    try {
      const vectors = await this.#retry(batch, signal)
      this.#breaker.succeeded()
      this.#dimensions = vectors[0]?.length ?? this.#dimensions
      return vectors
    } catch (error) {
      if (!(error instanceof AttemptFailure)) {
        this.#breaker.abandoned()
        throw error
      }
      this.#breaker.failed(error.message)
      throw serviceFailure(this.#url.host, error.message, error.remedy, error.cause)
    }
  }

  /** Retries transient failures, later each time; the jitter keeps several gateways from retrying at the same moment. */
  async #retry(batch: Batch, signal: AbortSignal): Promise<readonly Float32Array[]> {
    const { attempts = 3 } = this.#options
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#request(batch, signal)
      } catch (error) {
        if (!(error instanceof AttemptFailure) || !error.isTransient || attempt >= attempts) throw error
        const delay = FIRST_DELAY_MS * 2 ** (attempt - 1) * (0.5 + this.#parts.random())
        await this.#parts.wait(Math.max(delay, error.retryAfterMs ?? 0), signal)
      }
    }
  }

  #request({ texts }: Batch, signal: AbortSignal): Promise<Float32Array[]> {
    const { model, apiKey, dimensions: wantedDimensions, timeoutMs = 30_000 } = this.#options
    const { fetch, now } = this.#parts
    const dimensions = this.#dimensions
    return requestVectors({
      url: this.#url,
      ...{ model, apiKey, wantedDimensions, dimensions, texts, timeoutMs, signal, fetch, now },
    })
  }

  #isOpen(openMs: number): ToolSearchError {
    const problem = `failed ${FAILURES_UNTIL_OPEN} times in a row`
    return serviceFailure(this.#url.host, problem, `it is asked again in ${Math.ceil(openMs / 1_000)} s`)
  }
}

/** The reason is a sentence that names the host and a remedy. */
function serviceFailure(host: string, problem: string, remedy: string, cause?: unknown): ToolSearchError {
  const reason = `the embedding service at ${host} ${problem}; ${remedy}`
  return new ToolSearchError('EMBEDDER_FAILED', { reason, host }, cause === undefined ? {} : { cause })
}

function invalidUrl(problem: string): ToolSearchError {
  const reason = `the url of an embedding service ${problem}`
  return new ToolSearchError('INVALID_ARGUMENTS', { field: 'url', reason })
}

/** More than the context window of usual models, so that tokens need not be counted. */
const MOST_CHARACTERS = 8_000
const MOST_TEXTS = 32
const MOST_CHARACTERS_A_BATCH = 32_000

/** Texts for one request, and where their vectors belong. */
interface Batch {
  readonly texts: readonly string[]
  readonly places: readonly number[]
}

/**
 * Splits texts into requests of bounded size. Long texts are cut, unpaired surrogates replaced, and blank texts left out,
 * because services refuse them.
 */
export function batchesOf(texts: readonly string[]): Batch[] {
  let batch = emptyBatch()
  const batches = [batch]
  for (const [place, text] of texts.entries()) {
    const sent = text.slice(0, MOST_CHARACTERS).toWellFormed()
    if (sent.trim() === '') continue
    if (batch.texts.length === MOST_TEXTS || batch.characters + sent.length > MOST_CHARACTERS_A_BATCH) {
      batch = emptyBatch()
      batches.push(batch)
    }
    batch.texts.push(sent)
    batch.places.push(place)
    batch.characters += sent.length
  }
  return batches.filter(({ places }) => places.length > 0)
}

function emptyBatch(): { texts: string[]; places: number[]; characters: number } {
  return { texts: [], places: [], characters: 0 }
}
