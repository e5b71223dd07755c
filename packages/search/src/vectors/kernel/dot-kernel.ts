import { assembleModule, type Code, op } from './assembler.ts'

const [QUERY, ROWS, COUNT, STRIDE, OUT, AT, SUM_A, SUM_B] = [0, 1, 2, 3, 4, 5, 6, 7]

/** One step takes this many dimensions, so rows are a multiple of it. */
const STEP = 16

/**
 * `dots(query, rows, count, stride, out)`: the dot products of one query with `count` rows of `stride` bytes. All are
 * addresses in the module's memory; rows are 8-bit numbers, the query 16-bit ones (widened once, not for each row), the
 * products 32-bit ones.
 */
export function dotKernel(): Uint8Array {
  return assembleModule({ name: 'dots', parameters: 5, numbers: 1, vectors: 2, body: eachRow() })
}

function eachRow(): Code {
  return op.block(
    op.brIf(0, op.eqz(op.get(COUNT))),
    op.loop(
      op.set(SUM_A, op.zeros),
      op.set(SUM_B, op.zeros),
      op.set(AT, op.i32(0)),
      eachStep(),
      op.set(SUM_A, op.addLanes(op.get(SUM_A), op.get(SUM_B))),
      op.store(op.get(OUT), sumOfLanes(SUM_A)),
      op.set(OUT, op.add(op.get(OUT), op.i32(4))),
      op.set(ROWS, op.add(op.get(ROWS), op.get(STRIDE))),
      op.set(COUNT, op.subtract(op.get(COUNT), op.i32(1))),
      op.brIf(0, op.get(COUNT)),
    ),
  )
}

/** Two sums side by side: each addition would have to wait for the one before. */
function eachStep(): Code {
  const row = op.add(op.get(ROWS), op.get(AT))
  const query = op.add(op.get(QUERY), op.shiftLeft(op.get(AT), op.i32(1)))
  const product = (half: number): Code => op.dotPairs(op.loadWidened(row, 8 * half), op.load(query, 16 * half))
  return op.loop(
    op.set(SUM_A, op.addLanes(op.get(SUM_A), product(0))),
    op.set(SUM_B, op.addLanes(op.get(SUM_B), product(1))),
    op.set(AT, op.add(op.get(AT), op.i32(STEP))),
    op.brIf(0, op.lessThan(op.get(AT), op.get(STRIDE))),
  )
}

function sumOfLanes(vector: number): Code {
  const lane = (number: number): Code => op.lane(op.get(vector), number)
  return op.add(op.add(lane(0), lane(1)), op.add(lane(2), lane(3)))
}
