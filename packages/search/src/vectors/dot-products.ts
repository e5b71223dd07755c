import { DOT_KERNEL } from './dot-kernel.generated.ts'

/** Rows are padded with zeros to a multiple of this many numbers, which the kernel takes in one step. */
export const ROW_STEP = 64
/** How many products are made at once; they then lie in the processor's cache. */
export const BLOCK_ROWS = 1024
/** Rows are multiplied with so many vectors by turns. */
export const MOST_QUERIES = 9
/** The kernel takes rows four by four and may touch three more than it was asked for. */
const ROWS_BEYOND = 3

/** Where vectors lie and how they are multiplied. */
export interface DotProducts {
  /** Every row, one after the other, `stride` numbers each. Replaced when it grows. */
  readonly rows: Int8Array
  /** Makes room for so many rows; what is there stays. */
  reserve(count: number): void
  /** Sets the vectors that rows are multiplied with, `MOST_QUERIES` at most. */
  setQueries(queries: readonly Int8Array[]): void
  /**
   * The products of the nth query with at most `BLOCK_ROWS` rows, each times its row's factor and the scale, rounded to
   * whole numbers. `factors` are those of all rows, by row. Valid until the next call.
   */
  multiply(nth: number, firstRow: number, count: number, factors: Float64Array, scale: number): Int32Array
}

/** Products by WebAssembly with SIMD where the platform allows it, else by JavaScript, with equal results. */
export function dotProducts(stride: number): DotProducts {
  try {
    return new WasmDotProducts(stride)
  } catch {
    // No WebAssembly, no SIMD, or a security policy that forbids to compile.
    return new PlainDotProducts(stride)
  }
}

/** The smallest power of two times the present capacity that holds `count` rows. */
function grownCapacity(capacity: number, count: number): number {
  let grown = Math.max(capacity, 16)
  while (grown < count) grown *= 2
  return grown
}

/** Without WebAssembly. */
export class PlainDotProducts implements DotProducts {
  rows = new Int8Array(0)
  readonly #stride: number
  readonly #out = new Int32Array(BLOCK_ROWS)
  #queries: readonly Int32Array[] = []

  constructor(stride: number) {
    this.#stride = stride
  }

  reserve(count: number): void {
    const size = grownCapacity(this.rows.length / this.#stride, count) * this.#stride
    if (size === this.rows.length) return
    const grown = new Int8Array(size)
    grown.set(this.rows)
    this.rows = grown
  }

  setQueries(queries: readonly Int8Array[]): void {
    this.#queries = queries.map((query) => {
      const padded = new Int32Array(this.#stride)
      padded.set(query)
      return padded
    })
  }

  multiply(nth: number, firstRow: number, count: number, factors: Float64Array, scale: number): Int32Array {
    const stride = this.#stride
    const query = this.#queries[nth] as Int32Array
    for (let row = 0; row < count; row++) {
      const start = (firstRow + row) * stride
      let sum = 0
      for (let i = 0; i < stride; i++) sum += (this.rows[start + i] as number) * (query[i] as number)
      this.#out[row] = Math.floor(sum * (factors[firstRow + row] as number) * scale + 0.5)
    }
    return this.#out
  }
}

const PAGE = 65_536

/** As much of WebAssembly as is used here; runtimes have it, but not all of their type libraries do. */
interface Wasm {
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object
  readonly Instance: new (module: object) => { readonly exports: unknown }
}

interface KernelExports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number }
  cosines(query: number, rows: number, count: number, stride: number, factors: number, scale: number, out: number): void
}

/** The kernel, over a memory of its own: the queries, the scale, the factors and results of a block, and the rows. */
export class WasmDotProducts implements DotProducts {
  readonly #kernel: KernelExports
  readonly #stride: number
  readonly #scaleAt: number
  readonly #factorsAt: number
  readonly #outAt: number
  readonly #rowsAt: number
  #capacity = 0
  #rows: Int8Array = new Int8Array(0)
  #queries: Int16Array = new Int16Array(0)
  #scale: Float64Array = new Float64Array(0)
  #factors: Float64Array = new Float64Array(0)
  #out: Int32Array = new Int32Array(0)

  /** @throws Error where WebAssembly with SIMD cannot be had. */
  constructor(stride: number) {
    const bytes = Uint8Array.from(atob(DOT_KERNEL), (letter) => letter.charCodeAt(0))
    const { Module, Instance } = (globalThis as unknown as { readonly WebAssembly: Wasm }).WebAssembly
    this.#kernel = new Instance(new Module(bytes)).exports as KernelExports
    this.#stride = stride
    this.#scaleAt = 2 * stride * MOST_QUERIES
    this.#factorsAt = this.#scaleAt + 16
    this.#outAt = this.#factorsAt + 8 * (BLOCK_ROWS + ROWS_BEYOND + 1)
    this.#rowsAt = this.#outAt + 4 * (BLOCK_ROWS + ROWS_BEYOND + 1)
    this.reserve(0)
  }

  get rows(): Int8Array {
    return this.#rows
  }

  reserve(count: number): void {
    if (count <= this.#capacity && this.#rows.length > 0) return
    const capacity = grownCapacity(this.#capacity, count)
    const { memory } = this.#kernel
    const missing = this.#rowsAt + (capacity + ROWS_BEYOND) * this.#stride - memory.buffer.byteLength
    if (missing > 0) memory.grow(Math.ceil(missing / PAGE))
    // Growing detaches every view of the memory.
    this.#rows = new Int8Array(memory.buffer, this.#rowsAt, capacity * this.#stride)
    this.#queries = new Int16Array(memory.buffer, 0, this.#stride * MOST_QUERIES)
    this.#scale = new Float64Array(memory.buffer, this.#scaleAt, 1)
    this.#factors = new Float64Array(memory.buffer, this.#factorsAt, BLOCK_ROWS)
    this.#out = new Int32Array(memory.buffer, this.#outAt, BLOCK_ROWS)
    this.#capacity = capacity
  }

  setQueries(queries: readonly Int8Array[]): void {
    this.#queries.fill(0)
    for (const [nth, query] of queries.entries()) this.#queries.set(query, nth * this.#stride)
  }

  multiply(nth: number, firstRow: number, count: number, factors: Float64Array, scale: number): Int32Array {
    const stride = this.#stride
    this.#scale[0] = scale
    this.#factors.set(factors.subarray(firstRow, firstRow + count))
    const rows = this.#rowsAt + firstRow * stride
    this.#kernel.cosines(2 * stride * nth, rows, count, stride, this.#factorsAt, this.#scaleAt, this.#outAt)
    return this.#out
  }
}
