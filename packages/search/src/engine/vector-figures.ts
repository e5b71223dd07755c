import type { SavedReader, SavedWriter } from '../saved/saved-parts.ts'
import { inverseLength } from '../vectors/quantise.ts'
import type { CosineMoments } from './meaning-statistics.ts'

/** Unit vectors are summed in whole parts of this size: sums are exact, and taking away leaves nothing behind. */
const UNIT = 32_767

const AT_ONCE = 4

/**
 * Sums over the vectors of a catalog, from which mean and spread of the cosines with any vector follow: the sum of all,
 * of their products with themselves, and of the servers' means with themselves. Triangles are kept row by row.
 */
export class VectorFigures {
  readonly dimensions: number
  readonly #sum: Float64Array
  readonly #products: Float64Array
  readonly #ofServers: Float64Array
  readonly #serverProducts: Float64Array
  /** Vectors that are not in the products yet: several at once take less than one by one. */
  readonly #waiting: { readonly unit: Float64Array; readonly sign: number }[] = []
  #inServers = 0

  constructor(dimensions: number) {
    this.dimensions = dimensions
    this.#sum = new Float64Array(dimensions)
    this.#products = new Float64Array(triangle(dimensions))
    this.#ofServers = new Float64Array(dimensions)
    this.#serverProducts = new Float64Array(triangle(dimensions))
  }

  /** Counts a tool in, or out with −1, together with its server's sum. */
  count(vector: Int8Array, sign: 1 | -1, server: Int32Array | undefined): void {
    const unit = unitOf(vector)
    this.#waiting.push({ unit, sign })
    if (this.#waiting.length === AT_ONCE) this.#addWaiting()
    for (let i = 0; i < unit.length; i++) {
      const value = sign * (unit[i] as number)
      this.#sum[i] = (this.#sum[i] as number) + value
      if (server === undefined) continue
      this.#ofServers[i] = (this.#ofServers[i] as number) + value
      server[i] = (server[i] as number) + value
    }
    if (server !== undefined) this.#inServers += sign
  }

  /** Counts the mean of a server in, or out with −1, as often as it has tools. */
  countServer(sum: Int32Array, tools: number, sign: 1 | -1): void {
    if (tools > 0) addProducts(this.#serverProducts, sum, sign / tools)
  }

  /** Mean and spread of the cosines of unit vectors with all tools. */
  ofTools(units: readonly Float64Array[], count: number): CosineMoments {
    this.#addWaiting()
    return moments(units, this.#sum, this.#products, count)
  }

  /** The same with the servers' means. */
  ofServers(units: readonly Float64Array[]): CosineMoments {
    return moments(units, this.#ofServers, this.#serverProducts, this.#inServers)
  }

  save(to: SavedWriter): void {
    this.#addWaiting()
    to.json('vectors', { dimensions: this.dimensions, inServers: this.#inServers })
    for (const [name, numbers] of this.#parts()) to.numbers(name, numbers)
  }

  static restore(from: SavedReader): VectorFigures | undefined {
    if (!from.has('vectors')) return undefined
    const { dimensions, inServers } = from.json('vectors') as { dimensions: number; inServers: number }
    const figures = new VectorFigures(dimensions)
    figures.#inServers = inServers
    for (const [name, numbers] of figures.#parts()) numbers.set(from.floats(name))
    return figures
  }

  #addWaiting(): void {
    if (this.#waiting.length === AT_ONCE) addProductsAtOnce(this.#products, this.#waiting)
    else for (const { unit, sign } of this.#waiting) addProducts(this.#products, unit, sign)
    this.#waiting.length = 0
  }

  #parts(): readonly (readonly [name: string, numbers: Float64Array])[] {
    return [
      ['vectors.sum', this.#sum],
      ['vectors.products', this.#products],
      ['vectors.ofServers', this.#ofServers],
      ['vectors.serverProducts', this.#serverProducts],
    ]
  }
}

/** A vector of length 1. */
export function directionOf(vector: Float32Array): Float64Array {
  const length = Math.hypot(...vector)
  return Float64Array.from(vector, (value) => (length === 0 ? 0 : value / length))
}

/** The mean cosine of a server's tools with unit vectors. */
export function meanCosines(sum: Int16Array | Int32Array, tools: number, units: readonly Float64Array[]): Float64Array {
  return Float64Array.from(units, (unit) => dot(unit, sum) / (tools * UNIT))
}

function unitOf(vector: Int8Array): Float64Array {
  const scale = UNIT * inverseLength(vector)
  const unit = new Float64Array(vector.length)
  for (let i = 0; i < unit.length; i++) unit[i] = Math.round((vector[i] as number) * scale)
  return unit
}

function triangle(size: number): number {
  return (size * (size + 1)) / 2
}

/** Adds the products of all pairs of numbers, each pair once. */
function addProducts(to: Float64Array, numbers: Float64Array | Int32Array, factor: number): void {
  let at = 0
  for (let row = 0; row < numbers.length; row++) {
    const scaled = factor * (numbers[row] as number)
    for (let column = 0; column <= row; column++, at++)
      to[at] = (to[at] as number) + scaled * (numbers[column] as number)
  }
}

type Signed = { readonly unit: Float64Array; readonly sign: number }

/** The same for four vectors, so that every sum is read and written once for all of them. */
function addProductsAtOnce(to: Float64Array, vectors: readonly Signed[]): void {
  const [one, two, three, four] = vectors as readonly [Signed, Signed, Signed, Signed]
  const [a, b, c, d] = [one.unit, two.unit, three.unit, four.unit]
  let at = 0
  for (let row = 0; row < a.length; row++) {
    const [x, y] = [one.sign * (a[row] as number), two.sign * (b[row] as number)]
    const [z, w] = [three.sign * (c[row] as number), four.sign * (d[row] as number)]
    for (let column = 0; column <= row; column++, at++) {
      to[at] =
        (to[at] as number) +
        x * (a[column] as number) +
        y * (b[column] as number) +
        z * (c[column] as number) +
        w * (d[column] as number)
    }
  }
}

function moments(
  units: readonly Float64Array[],
  sum: Float64Array,
  products: Float64Array,
  count: number,
): CosineMoments {
  const all = Math.max(1, count)
  const means = Float64Array.from(units, (unit) => dot(unit, sum) / (all * UNIT))
  const covariances = new Float64Array(units.length ** 2)
  for (const [row, unit] of units.entries()) {
    const product = times(products, unit)
    for (const [column, other] of units.entries()) {
      const mean = dot(other, product) / (all * UNIT * UNIT)
      covariances[row * units.length + column] = mean - (means[row] as number) * (means[column] as number)
    }
  }
  return { means, covariances }
}

/** A symmetric matrix, of which a triangle is kept, times a vector. */
function times(products: Float64Array, unit: Float64Array): Float64Array {
  const result = new Float64Array(unit.length)
  let at = 0
  for (let row = 0; row < unit.length; row++) {
    const own = unit[row] as number
    let sum = 0
    for (let column = 0; column < row; column++, at++) {
      const product = products[at] as number
      sum += product * (unit[column] as number)
      result[column] = (result[column] as number) + product * own
    }
    result[row] = (result[row] as number) + sum + (products[at++] as number) * own
  }
  return result
}

function dot(a: Float64Array, b: Float64Array | Int16Array | Int32Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number)
  return sum
}
