import type { EmbeddingsConfig } from '@tooldex/contract'
import type { Embedder } from '@tooldex/search'

/** The settings of the embedders. */
export interface EmbeddersParts {
  /** Default: the built-in table. */
  readonly config?: EmbeddingsConfig
  /** Receives the reason and remedy, once for each unusable embedder. */
  readonly onProblem: (reason: string) => void
}

interface ClosableEmbedder extends Embedder {
  close?(): void | Promise<void>
}

/** The gateway's embedders in order of preference: the configured one, then the table. Opened once, when first needed. */
export class Embedders {
  readonly #parts: EmbeddersParts
  #opened: Promise<readonly ClosableEmbedder[]> | undefined

  constructor(parts: EmbeddersParts) {
    this.#parts = parts
  }

  /** Unusable embedders are included; they reject every request with the reason. */
  open(): Promise<readonly Embedder[]> {
    this.#opened ??= this.#openAll()
    return this.#opened
  }

  /** The built-in table as a function, for texts that are compared on the spot; undefined if it is unusable. */
  async table(): Promise<((text: string) => Float32Array) | undefined> {
    const table = (await this.open()).at(-1)
    try {
      table?.embedNow?.('')
      return table?.embedNow?.bind(table)
    } catch {
      return undefined
    }
  }

  /** Closes the opened embedders. */
  async close(): Promise<void> {
    const opened = (await this.#opened) ?? []
    await Promise.all(opened.map(async (embedder) => embedder.close?.()))
  }

  #openAll(): Promise<readonly ClosableEmbedder[]> {
    const { config } = this.#parts
    const table = this.#usable('static', () => openTable(config?.table))
    if (config?.provider !== 'http') return table.then((only) => [only])
    return Promise.all([this.#usable('http', () => openService(config)), table])
  }

  async #usable(id: string, open: () => Promise<ClosableEmbedder>): Promise<ClosableEmbedder> {
    try {
      return await open()
    } catch (error) {
      this.#parts.onProblem(reasonOf(error))
      return new UnusableEmbedder(id, error)
    }
  }
}

async function openTable(path: string | undefined): Promise<Embedder> {
  const { loadStaticEmbedder } = await import('@tooldex/embeddings')
  return loadStaticEmbedder(path)
}

async function openService(config: EmbeddingsConfig): Promise<ClosableEmbedder> {
  const { HttpEmbedder } = await import('@tooldex/embeddings')
  const { url = '', model = '', apiKey, dimensions, weight, timeoutMs } = config
  return new HttpEmbedder({
    url,
    model,
    timeoutMs,
    ...(apiKey !== undefined && { apiKey }),
    ...(dimensions !== undefined && { dimensions }),
    ...(weight !== undefined && { weight }),
  })
}

/** A placeholder for an embedder that could not be opened; its error explains degraded answers. */
class UnusableEmbedder implements Embedder {
  readonly id: string
  readonly dimensions = 1
  readonly #error: unknown

  constructor(id: string, error: unknown) {
    this.id = id
    this.#error = error
  }

  embed(): Promise<never> {
    return Promise.reject(this.#error)
  }

  embedNow(): never {
    throw this.#error
  }
}

/** The reason and the remedy of an error of the library, or its message. */
function reasonOf(error: unknown): string {
  const { details = {} } = error as { details?: Readonly<Record<string, unknown>> }
  const known = [details['reason'], details['remedy']].filter((text) => typeof text === 'string')
  return known.length > 0 ? known.join('. ') : error instanceof Error ? error.message : String(error)
}
