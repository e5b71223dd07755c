import { ProblemError } from '../problem-error.ts'

/**
 * All bytes of a body, never holding more than the limit.
 * @throws ProblemError REQUEST_TOO_LARGE; REQUEST_INVALID when the connection ends before the body does
 */
export async function collect(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const kept: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of chunks) {
      size += chunk.byteLength
      if (size > maxBytes) throw tooLarge(maxBytes)
      kept.push(chunk)
    }
  } catch (error) {
    throw error instanceof ProblemError ? error : incomplete()
  }
  return Buffer.concat(kept, size)
}

/** A body that says beforehand that it is too large need not be read. @throws ProblemError REQUEST_TOO_LARGE */
export function checkLength(contentLength: string | null | undefined, maxBytes: number): void {
  if (Number(contentLength ?? 0) > maxBytes) throw tooLarge(maxBytes)
}

/** A body beyond the limit. */
export function tooLarge(maxBytes: number): ProblemError {
  const message = `is larger than ${maxBytes} bytes`
  return new ProblemError('REQUEST_TOO_LARGE', `The body ${message}; send fewer tools or shorter descriptions.`, {
    errors: [{ field: 'body', message }],
  })
}

function incomplete(): ProblemError {
  const message = 'did not arrive whole'
  return new ProblemError('REQUEST_INVALID', `The body ${message}.`, { errors: [{ field: 'body', message }] })
}
