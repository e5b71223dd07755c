import { ToolSearchError } from '../../errors.ts'
import type { Embedder } from './embedder.ts'

/**
 * The vectors that an embedder answered, checked.
 * @throws ToolSearchError EMBEDDER_FAILED for too few vectors, a wrong length, or what is no number.
 */
export function checkedVectors(
  vectors: readonly Float32Array[],
  count: number,
  embedder: Embedder,
): readonly Float32Array[] {
  if (!Array.isArray(vectors) || vectors.length !== count) {
    throw lie(embedder, `it gave ${Array.isArray(vectors) ? vectors.length : 'no'} vectors for ${count} texts`)
  }
  for (const vector of vectors) checkedVector(vector, embedder)
  return vectors
}

/** A vector, if it has the embedder's length and only numbers. */
export function checkedVector(vector: Float32Array, embedder: Embedder): Float32Array {
  const { dimensions } = embedder
  if (!ArrayBuffer.isView(vector) || vector.length !== dimensions) {
    throw lie(embedder, `it gave a vector of ${String(vector?.length)} numbers instead of ${dimensions}`)
  }
  if (!areNumbers(vector)) throw lie(embedder, 'it gave a vector with something that is no number')
  return vector
}

/** Without a call for each of millions of numbers: what is infinite or no number is not even 0 apart from itself. */
function areNumbers(vector: Float32Array): boolean {
  for (let i = 0; i < vector.length; i++) {
    const value = vector[i] as number
    if (value - value !== 0) return false
  }
  return true
}

function lie(embedder: Embedder, reason: string): ToolSearchError {
  return new ToolSearchError('EMBEDDER_FAILED', { embedder: embedder.id, reason })
}

/** Why an embedder failed, in words for people. */
export function failureReason(error: unknown): string {
  const { details, message } = (error ?? {}) as { details?: { reason?: unknown } | null; message?: unknown }
  const reason = details?.reason ?? message
  return typeof reason === 'string' && reason !== '' ? reason : 'no reason given'
}
