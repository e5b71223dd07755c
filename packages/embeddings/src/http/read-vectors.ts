import { AttemptFailure } from './failure.ts'

const REMEDY = 'check that the address is that of an OpenAI-compatible /v1/embeddings'

/** What an answer must be like. */
export interface ExpectedVectors {
  readonly count: number
  /** 0 while it is not known. */
  readonly dimensions: number
}

/**
 * The unit vectors of an answer in the order of the texts.
 * @throws AttemptFailure unless there is exactly one vector of finite numbers for each text, all of one length.
 */
export function readVectors(body: string, expected: ExpectedVectors): Float32Array[] {
  const rows = rowsOf(body)
  if (rows.length !== expected.count)
    throw lie(`answered with ${rows.length} vectors for ${expected.count} texts`, REMEDY)
  const vectors = inOrder(rows).map(({ embedding }) => unitVector(embedding))
  const dimensions = expected.dimensions === 0 ? (vectors[0]?.length ?? 0) : expected.dimensions
  const odd = vectors.find(({ length }) => length !== dimensions)
  if (odd !== undefined) {
    const remedy = 'set `dimensions` to what the model makes, and restart if the model behind the address was changed'
    throw lie(`answered with vectors of ${odd.length} numbers instead of ${dimensions}`, remedy)
  }
  return vectors
}

interface Row {
  readonly index: unknown
  readonly embedding: unknown
}

function rowsOf(body: string): readonly Row[] {
  const answer = parse(body)
  const data = isObject(answer) ? answer['data'] : undefined
  if (!Array.isArray(data)) throw lie('answered without a list of vectors', REMEDY)
  return data.map((row: unknown) =>
    isObject(row) ? { index: row['index'], embedding: row['embedding'] } : { index: undefined, embedding: undefined },
  )
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch (cause) {
    throw lie('answered with something that is not JSON', REMEDY, cause)
  }
}

/** By `index`; services that leave it out answer in the order of the texts. */
function inOrder(rows: readonly Row[]): readonly Row[] {
  if (rows.every(({ index }) => index === undefined)) return rows
  const byIndex = new Map(rows.map((row) => [row.index, row]))
  return rows.map((_, index) => {
    const row = byIndex.get(index)
    if (row === undefined) throw lie(`answered without a vector for text ${index + 1} of ${rows.length}`, REMEDY)
    return row
  })
}

function unitVector(embedding: unknown): Float32Array {
  const isVector = Array.isArray(embedding) && embedding.length > 0 && embedding.every(Number.isFinite)
  if (!isVector) throw lie('answered with a vector that is not a list of finite numbers', REMEDY)
  const numbers = embedding as readonly number[]
  // Divided by the largest first: squares of huge numbers would be infinite.
  const largest = numbers.reduce((most, number) => Math.max(most, Math.abs(number)), 0)
  if (largest === 0) return new Float32Array(numbers.length)
  const length = Math.sqrt(numbers.reduce((sum, number) => sum + (number / largest) ** 2, 0))
  return Float32Array.from(numbers, (number) => number / largest / length)
}

/** The service answered, but not with what was asked; asking again would not help. */
function lie(message: string, remedy: string, cause?: unknown): AttemptFailure {
  return new AttemptFailure(message, { remedy, isPassing: false, cause })
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
