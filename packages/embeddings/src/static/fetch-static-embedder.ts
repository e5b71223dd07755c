import { ToolSearchError } from '@tooldex/search'
import { StaticEmbedder } from './static-embedder.ts'

/** How a table is fetched. */
export interface FetchTableOptions {
  /** Default: that of the platform. */
  readonly fetch?: (url: URL | string, init: { readonly signal?: AbortSignal }) => Promise<FetchedTable>
  readonly signal?: AbortSignal
}

interface FetchedTable {
  readonly ok: boolean
  readonly status: number
  arrayBuffer(): Promise<ArrayBuffer>
}

/**
 * The embedder of a table that is fetched, for browsers and edge runtimes: put `table/static.bin` or the smaller
 * `table/small.bin` of this package where the URL finds it.
 * @throws ToolSearchError EMBEDDER_FAILED when it cannot be fetched or is no table; the signal's reason when aborted
 */
export async function fetchStaticEmbedder(url: URL | string, options: FetchTableOptions = {}): Promise<StaticEmbedder> {
  const { fetch = globalThis.fetch, signal } = options
  return new StaticEmbedder(new Uint8Array(await fetched(fetch, url, signal)))
}

async function fetched(
  fetch: NonNullable<FetchTableOptions['fetch']>,
  url: URL | string,
  signal: AbortSignal | undefined,
): Promise<ArrayBuffer> {
  let problem = ''
  try {
    const answer = await fetch(url, signal === undefined ? {} : { signal })
    if (answer.ok) return await answer.arrayBuffer()
    problem = `the server answered with status ${answer.status}`
  } catch (cause) {
    signal?.throwIfAborted()
    problem = cause instanceof Error ? cause.message : String(cause)
  }
  const reason = `the table of word vectors cannot be fetched: ${problem}`
  const remedy = 'Serve table/static.bin or table/small.bin of @tooldex/embeddings at this URL.'
  throw new ToolSearchError('EMBEDDER_FAILED', { reason, table: String(url), remedy })
}
