/** What is told of an event that was cut. */
export interface CutWatch {
  /** The event crossed the limit. */
  readonly onCut?: () => void
  /** It came to its end: how it began and how it ended, where a reply carries its id. */
  readonly onSkipped?: (head: string, tail: string) => void
}

const NEWLINE = 0x0a
const RETURN = 0x0d
const EDGE_BYTES = 256
const EVENT_END = new TextEncoder().encode('\n\n')

/**
 * Passes an event stream on and cuts events that are larger than the limit: such an event ends where it crossed the
 * limit, the rest of it is skipped, and the stream goes on with the next one.
 */
export function limitEvents(maxBytes: number, watch: CutWatch): TransformStream<Uint8Array, Uint8Array> {
  const event = new EventMeter()
  let isSkipping = false
  return new TransformStream({
    transform(chunk, controller) {
      let kept = 0
      for (const end of lineEnds(chunk)) {
        const isEventEnd = event.take(chunk, end)
        if (!isSkipping && event.bytes > maxBytes && !isEventEnd) {
          isSkipping = true
          controller.enqueue(chunk.subarray(kept, event.pieceStart))
          controller.enqueue(EVENT_END)
          watch.onCut?.()
        }
        if (!isEventEnd) continue
        if (isSkipping) watch.onSkipped?.(event.head, event.tail)
        if (isSkipping) kept = end
        isSkipping = false
        event.reset()
      }
      if (!isSkipping) controller.enqueue(chunk.subarray(kept))
      event.nextChunk()
    },
  })
}

/** Where the lines of a chunk end; the last one may go on in the next chunk. */
function* lineEnds(chunk: Uint8Array): Generator<number> {
  let at = 0
  while (at < chunk.byteLength) {
    const newline = chunk.indexOf(NEWLINE, at)
    at = newline === -1 ? chunk.byteLength : newline + 1
    yield at
  }
}

/** Measures the event that is passing by. An empty line ends it. */
class EventMeter {
  bytes = 0
  head = ''
  tail = ''
  /** Where the piece that was taken last starts in its chunk. */
  pieceStart = 0
  #nextStart = 0
  #lineBytes = 0

  /** Takes the chunk up to `end`. @returns whether the event ended there */
  take(chunk: Uint8Array, end: number): boolean {
    this.pieceStart = this.#nextStart
    this.#nextStart = end
    const piece = chunk.subarray(this.pieceStart, end)
    this.bytes += piece.byteLength
    this.#lineBytes += textBytes(piece)
    if (this.head.length < EDGE_BYTES) this.head += text(piece.subarray(0, EDGE_BYTES))
    this.tail = (this.tail + text(piece.subarray(-EDGE_BYTES))).slice(-EDGE_BYTES)
    if (chunk[end - 1] !== NEWLINE) return false
    const isEmptyLine = this.#lineBytes === 0
    this.#lineBytes = 0
    return isEmptyLine
  }

  nextChunk(): void {
    this.#nextStart = 0
  }

  reset(): void {
    this.bytes = 0
    this.head = ''
    this.tail = ''
  }
}

function textBytes(piece: Uint8Array): number {
  let length = piece.byteLength
  if (piece[length - 1] === NEWLINE) length--
  if (piece[length - 1] === RETURN) length--
  return length
}

function text(piece: Uint8Array): string {
  return Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString('latin1')
}
