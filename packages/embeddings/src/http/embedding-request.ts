import { isRecord } from '@tooldex/http-kit/json'
import { PostError, postJson } from '@tooldex/http-kit/post'

/** Much more than the vectors of a batch take. */
const MAX_REPLY_BYTES = 32 * 1024 * 1024
const LONGEST_RETRY_AFTER_MS = 30_000
const CHECK_URL = 'check that the address is that of an OpenAI-compatible /v1/embeddings'

/** One request to a service. */
export interface EmbeddingRequest {
  readonly url: URL
  readonly model: string
  readonly apiKey?: string | undefined
  /** The configured length of vectors; sent to the service. */
  readonly wantedDimensions?: number | undefined
  /** The length of earlier vectors; 0 before the first. */
  readonly dimensions: number
  readonly texts: readonly string[]
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly fetch: typeof fetch
  readonly now: () => number
}

/** A failed attempt, and whether another one may succeed. */
export class AttemptFailure extends Error {
  override readonly name = 'AttemptFailure'
  readonly remedy: string
  readonly isTransient: boolean
  /** How long the service asked to wait. */
  readonly retryAfterMs: number | undefined

  /** @param message a predicate of the service: "answered with status 500" */
  constructor(message: string, facts: AttemptFacts) {
    super(message, facts.cause === undefined ? {} : { cause: facts.cause })
    this.remedy = facts.remedy
    this.isTransient = facts.isTransient ?? false
    this.retryAfterMs = facts.retryAfterMs
  }
}

interface AttemptFacts {
  readonly remedy: string
  readonly isTransient?: boolean
  readonly retryAfterMs?: number | undefined
  readonly cause?: unknown
}

/** Asks once for unit vectors, in the order of the texts. @throws AttemptFailure, or the signal's reason when aborted */
export async function requestVectors(request: EmbeddingRequest): Promise<Float32Array[]> {
  const { url, model, apiKey, wantedDimensions, texts, timeoutMs, signal, fetch, now } = request
  const body = { model, input: texts, encoding_format: 'float', dimensions: wantedDimensions }
  try {
    const reply = await postJson({
      url,
      headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
      body: JSON.stringify(body),
      maxBytes: MAX_REPLY_BYTES,
      ...{ timeoutMs, signal, fetch, now },
    })
    return vectorsIn(reply, request)
  } catch (error) {
    throw error instanceof PostError ? failureOf(error, model) : error
  }
}

function failureOf(error: PostError, model: string): AttemptFailure {
  const { isTransient, retryAfterMs, cause } = error
  return new AttemptFailure(error.message, {
    remedy: remedyFor(error, model),
    isTransient,
    cause,
    ...(isTransient && retryAfterMs !== undefined && { retryAfterMs: Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS) }),
  })
}

function remedyFor({ kind, status }: PostError, model: string): string {
  if (kind === 'unreachable') return 'check that it runs there'
  if (kind === 'timeout') return 'raise `timeoutMs` if the model is slow'
  if (kind !== 'status') return CHECK_URL
  if (status === 401 || status === 403) return 'check `apiKey`'
  if (status === 404) return `check \`url\`, and that it has the model "${model}"`
  if (status === 429) return 'it takes fewer requests than are made; raise its limit or use the built-in table'
  if (status >= 500) return 'look at its own log'
  if (status >= 300 && status < 400) return 'set `url` to where it redirects'
  return `check that "${model}" is an embedding model and that \`dimensions\` suits it`
}

/** @throws AttemptFailure unless there is exactly one vector of finite numbers for each text, all of one length */
function vectorsIn(reply: unknown, { texts, dimensions: known }: EmbeddingRequest): Float32Array[] {
  const rows = rowsOf(reply)
  if (rows.length !== texts.length) throw invalid(`answered with ${rows.length} vectors for ${texts.length} texts`)
  const vectors = inOrder(rows).map(({ embedding }) => unitVector(embedding))
  const dimensions = known === 0 ? (vectors[0]?.length ?? 0) : known
  const other = vectors.find(({ length }) => length !== dimensions)
  if (other !== undefined) {
    const remedy = 'set `dimensions` to what the model makes, and restart if the model behind the address was changed'
    throw invalid(`answered with vectors of ${other.length} numbers instead of ${dimensions}`, remedy)
  }
  return vectors
}

interface Row {
  readonly index: unknown
  readonly embedding: unknown
}

function rowsOf(reply: unknown): readonly Row[] {
  const data = isRecord(reply) ? reply['data'] : undefined
  if (!Array.isArray(data)) throw invalid('answered without a list of vectors')
  return data.map((row: unknown) =>
    isRecord(row) ? { index: row['index'], embedding: row['embedding'] } : { index: undefined, embedding: undefined },
  )
}

/** By `index`; services that leave it out answer in the order of the texts. */
function inOrder(rows: readonly Row[]): readonly Row[] {
  if (rows.every(({ index }) => index === undefined)) return rows
  const byIndex = new Map(rows.map((row) => [row.index, row]))
  return rows.map((_, index) => {
    const row = byIndex.get(index)
    if (row === undefined) throw invalid(`answered without a vector for text ${index + 1} of ${rows.length}`)
    return row
  })
}

function unitVector(embedding: unknown): Float32Array {
  const isVector = Array.isArray(embedding) && embedding.length > 0 && embedding.every(Number.isFinite)
  if (!isVector) throw invalid('answered with a vector that is not a list of finite numbers')
  const numbers = embedding as readonly number[]
  // Divided by the largest first: squares of huge numbers would be infinite.
  const largest = numbers.reduce((most, number) => Math.max(most, Math.abs(number)), 0)
  if (largest === 0) return new Float32Array(numbers.length)
  const length = Math.sqrt(numbers.reduce((sum, number) => sum + (number / largest) ** 2, 0))
  return Float32Array.from(numbers, (number) => number / largest / length)
}

/** The service answered with something else than vectors; another attempt would not help. */
function invalid(message: string, remedy = CHECK_URL): AttemptFailure {
  return new AttemptFailure(message, { remedy })
}
