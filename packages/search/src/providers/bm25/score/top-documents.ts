import { compareIds } from '../../compare-ids.ts'
import type { Corpus } from '../index/corpus.ts'
import type { ScoreBoard } from './score-board.ts'

/**
 * The `limit` best documents of a board, in no particular order. Ties are broken by tool id even at the edge, so that
 * the choice does not depend on how documents are numbered.
 */
export function topDocuments(board: ScoreBoard, limit: number, corpus: Corpus): number[] {
  if (board.count <= limit) return Array.from(board.touched.subarray(0, board.count))
  const { values, touched } = board
  const heap: number[] = []
  const isWorse = (a: number, b: number): boolean => {
    const difference = (values[a] as number) - (values[b] as number)
    if (difference !== 0) return difference < 0
    return compareIds(corpus.tool(a).id, corpus.tool(b).id) > 0
  }
  for (let i = 0; i < board.count; i++) {
    const document = touched[i] as number
    if (heap.length < limit) {
      heap.push(document)
      siftUp(heap, isWorse)
    } else if (
      (values[document] as number) >= (values[heap[0] as number] as number) &&
      isWorse(heap[0] as number, document)
    ) {
      heap[0] = document
      siftDown(heap, isWorse)
    }
  }
  return heap
}

type IsWorse = (a: number, b: number) => boolean

/** The worst kept document is at the root, where the next better one replaces it. */
function siftUp(heap: number[], isWorse: IsWorse): void {
  let child = heap.length - 1
  while (child > 0) {
    const parent = (child - 1) >> 1
    if (!isWorse(heap[child] as number, heap[parent] as number)) return
    swap(heap, child, parent)
    child = parent
  }
}

function siftDown(heap: number[], isWorse: IsWorse): void {
  let parent = 0
  for (;;) {
    const left = 2 * parent + 1
    if (left >= heap.length) return
    const right = left + 1
    const worse = right < heap.length && isWorse(heap[right] as number, heap[left] as number) ? right : left
    if (!isWorse(heap[worse] as number, heap[parent] as number)) return
    swap(heap, worse, parent)
    parent = worse
  }
}

function swap(heap: number[], a: number, b: number): void {
  const kept = heap[a] as number
  heap[a] = heap[b] as number
  heap[b] = kept
}

/** Keeps the `limit` highest of the values that it is offered. */
export class HighestValues {
  readonly #limit: number
  /** A heap, the lowest at the root. */
  readonly #values: Float64Array
  #count = 0

  constructor(limit: number) {
    this.#limit = limit
    this.#values = new Float64Array(limit)
  }

  /** The lowest of those kept; nothing is low enough while there are fewer than the limit. */
  get lowest(): number {
    return this.#count < this.#limit ? Number.NEGATIVE_INFINITY : (this.#values[0] as number)
  }

  offer(value: number): void {
    const values = this.#values
    if (this.#count < this.#limit) {
      let child = this.#count++
      for (let parent = (child - 1) >> 1; child > 0 && (values[parent] as number) > value; parent = (child - 1) >> 1) {
        values[child] = values[parent] as number
        child = parent
      }
      values[child] = value
    } else if (value > (values[0] as number)) this.#replaceLowest(value)
  }

  #replaceLowest(value: number): void {
    const values = this.#values
    let parent = 0
    for (;;) {
      const left = 2 * parent + 1
      if (left >= this.#limit) break
      const right = left + 1
      const child = right < this.#limit && (values[right] as number) < (values[left] as number) ? right : left
      if ((values[child] as number) >= value) break
      values[parent] = values[child] as number
      parent = child
    }
    values[parent] = value
  }
}
