import { assembleModule, type Code, op } from './assembler.ts'

const [QUERY, ROWS, COUNT, STRIDE, FACTORS, SCALE, OUT, AT] = [0, 1, 2, 3, 4, 5, 6, 7]

/** One step takes this many dimensions, so rows are a multiple of it: the more, the less often addresses are made. */
const STEP = 64
/** Dimensions that are multiplied at once. */
const AT_ONCE = 8
/** Rows that are multiplied side by side: the query is read once for all of them, and no sum waits for another. */
const SIDE_BY_SIDE = 4

const ROW = (row: number): number => 8 + row
const SUM = (row: number): number => 8 + SIDE_BY_SIDE + row
const PRODUCTS = SUM(SIDE_BY_SIDE)
const QUERY_PART = (part: number): number => PRODUCTS + 1 + part

/**
 * `cosines(query, rows, count, stride, factors, scale, out)`: ⌊dot product × factor × scale + ½⌋ of one query with
 * `count` rows of `stride` bytes. All but `count` and `stride` are addresses in the module's memory. Rows are 8-bit
 * numbers, the query 16-bit ones (widened once, not for each row), factors (one for each row) and scale 64-bit
 * floating-point ones, the results 32-bit ones. Up to three rows, factors and results more than `count` are touched.
 */
export function dotKernel(): Uint8Array {
  return assembleModule({
    name: 'cosines',
    parameters: 7,
    numbers: 1 + SIDE_BY_SIDE,
    vectors: SIDE_BY_SIDE + 1 + parts.length,
    body: eachRow(),
  })
}

const rows = Array.from({ length: SIDE_BY_SIDE }, (_, row) => row)
const parts = Array.from({ length: STEP / AT_ONCE }, (_, part) => part)
const advance = (local: number, by: number): Code => op.set(local, op.add(op.get(local), op.i32(by)))

function eachRow(): Code {
  return op.block(
    op.loop(
      op.brIf(1, op.isAbove(op.i32(1), op.get(COUNT))),
      op.set(ROW(0), op.get(ROWS)),
      rows.slice(1).map((row) => op.set(ROW(row), op.add(op.get(ROW(row - 1)), op.get(STRIDE)))),
      op.set(ROWS, op.add(op.get(ROW(SIDE_BY_SIDE - 1)), op.get(STRIDE))),
      rows.map((row) => op.set(SUM(row), op.zeros)),
      op.set(AT, op.i32(0)),
      eachStep(),
      rows.map((row) => op.store(op.get(OUT), 4 * row, sumOfLanes(SUM(row)))),
      op.set(PRODUCTS, op.load(op.get(OUT), 0)),
      op.storeVector(op.get(OUT), scaled()),
      advance(OUT, 4 * SIDE_BY_SIDE),
      advance(FACTORS, 8 * SIDE_BY_SIDE),
      advance(COUNT, -SIDE_BY_SIDE),
      op.br(0),
    ),
  )
}

function eachStep(): Code {
  const query = op.add(op.get(QUERY), op.shiftLeft(op.get(AT), op.i32(1)))
  return op.loop(
    parts.map((part) => op.set(QUERY_PART(part), op.load(query, 2 * AT_ONCE * part))),
    rows.map((row) => {
      const at = op.add(op.get(ROW(row)), op.get(AT))
      const products = parts.map((part) => op.dotPairs(op.loadWidened(at, AT_ONCE * part), op.get(QUERY_PART(part))))
      return op.set(SUM(row), op.addLanes(op.get(SUM(row)), sumOfAll(products)))
    }),
    op.set(AT, op.add(op.get(AT), op.i32(STEP))),
    op.brIf(0, op.lessThan(op.get(AT), op.get(STRIDE))),
  )
}

/** Added two by two, so that few additions wait for another. */
function sumOfAll(vectors: readonly Code[]): Code {
  const [only, ...others] = vectors
  if (only !== undefined && others.length === 0) return only
  const half = vectors.length >> 1
  return op.addLanes(sumOfAll(vectors.slice(0, half)), sumOfAll(vectors.slice(half)))
}

const bytes = (first: number, count: number): number[] => Array.from({ length: count }, (_, i) => first + i)

/** The four products times their factors and the scale, rounded. */
function scaled(): Code {
  const products = op.get(PRODUCTS)
  const upper = op.shuffle(products, products, [...bytes(8, 8), ...bytes(8, 8)])
  const [low, high] = [roundedPair(products, 0), roundedPair(upper, 16)]
  return op.shuffle(low, high, [...bytes(0, 8), ...bytes(16, 8)])
}

function roundedPair(pair: Code, offset: number): Code {
  const byFactor = op.multiplyDoubles(op.toDoubles(pair), op.load(op.get(FACTORS), offset))
  const byScale = op.multiplyDoubles(byFactor, op.loadTwice(op.get(SCALE), 0))
  return op.toNumbers(op.floorDoubles(op.addDoubles(byScale, op.doubles(0.5))))
}

function sumOfLanes(vector: number): Code {
  const lane = (number: number): Code => op.lane(op.get(vector), number)
  return op.add(op.add(lane(0), lane(1)), op.add(lane(2), lane(3)))
}
