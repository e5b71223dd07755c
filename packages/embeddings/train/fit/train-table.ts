import type { WordPiece } from '../../src/wordpiece/word-piece.ts'
import type { Progress } from '../progress.ts'
import { Random } from '../random.ts'
import type { TextPair } from '../texts/text-pairs.ts'
import { type Bags, bagsOf, sumsOf } from './bags.ts'
import { contrast, type Pairs } from './contrast.ts'
import { addScaled, dot, type Matrix, matrixOf, projected, rowOf } from './matrix.ts'
import { principalAxes } from './principal-axes.ts'
import { fitTable } from './regression.ts'

/** The input of the training. Vectors are the teacher's. */
interface TrainingInput {
  readonly pieces: WordPiece
  /** The teacher's vectors of the single pieces. */
  readonly alone: readonly Float32Array[]
  readonly texts: readonly string[]
  readonly vectors: readonly Float32Array[]
  readonly toolPairs: readonly TextPair[]
  readonly dimensions: number
  readonly seed: number
}

/** A table and how near it came. */
interface TrainedTable {
  readonly table: Matrix
  /** Mean cosine to the teacher on texts that took no part in the training, after each step of it. */
  readonly cosines: { readonly cosinePlain: number; readonly cosineFitted: number; readonly cosineTrained: number }
}

/** One text of this many is kept aside to measure with. */
const KEPT_ASIDE = 50

/**
 * The recipe: start with the teacher's vectors of the single pieces; fit the sums of pieces to its vectors of whole texts;
 * then let names find their descriptions.
 */
export function trainTable(input: TrainingInput, progress: Progress): TrainedTable {
  const isAside = (nth: number) => nth % KEPT_ASIDE === 0
  const all = matrixOf(input.vectors, input.vectors[0]?.length ?? 0)
  const axes = principalAxes(all, input.dimensions)
  const seen = part(input, (nth) => !isAside(nth), axes)
  const aside = part(input, isAside, axes)
  const plain = startTable(projected(matrixOf(input.alone, axes.columns), axes), seen.bags)
  progress.log(`Fitting ${input.pieces.size} word pieces to ${seen.bags.texts} texts`)
  const fitted = fitTable(seen.bags, seen.vectors, plain, {
    pull: 0.3,
    rounds: 2,
    stepsPerRound: 10,
    onStep: (round, step, error) => progress.step('fit', round * 10 + step + 1, 20, `, error ${error.toFixed(2)}`),
  })
  const table = tellApart(input, fitted, progress)
  const cosineOf = (candidate: Matrix) => meanCosine(aside.bags, candidate, aside.vectors)
  return {
    table,
    cosines: { cosinePlain: cosineOf(plain), cosineFitted: cosineOf(fitted), cosineTrained: cosineOf(table) },
  }
}

function part({ texts, vectors, pieces }: TrainingInput, belongs: (nth: number) => boolean, axes: Matrix) {
  const chosen = vectors.filter((_, nth) => belongs(nth))
  return {
    bags: bagsOf(
      texts.filter((_, nth) => belongs(nth)),
      pieces,
    ),
    vectors: projected(matrixOf(chosen, axes.columns), axes),
  }
}

/** Lets the name of a tool find its description among those of others, of the same server above all. */
function tellApart({ toolPairs, pieces, seed }: TrainingInput, start: Matrix, progress: Progress): Matrix {
  progress.log(`Separating ${toolPairs.length} tools`)
  const pairs: Pairs = {
    ones: bagsOf(
      toolPairs.map(({ one }) => one),
      pieces,
    ),
    others: bagsOf(
      toolPairs.map(({ other }) => other),
      pieces,
    ),
    groups: toolPairs.map(({ group }) => group),
  }
  return contrast(pairs, start, {
    epochs: 2,
    batchSize: 256,
    perGroup: 8,
    temperature: 0.2,
    rate: 0.05,
    pull: 0,
    random: new Random(seed + 2),
    onBatch: (done, total, loss) => progress.step('batch', done, total, `, loss ${loss.toFixed(2)}`),
  })
}

/** Words more frequent than this share of all words begin to lose weight. */
const COMMON_SHARE = 1e-3

/**
 * The start of the fit: the teacher's vectors of the single pieces, less their mean, with lower weight for frequent
 * pieces (smooth inverse frequency).
 */
function startTable(alone: Matrix, bags: Bags): Matrix {
  const table: Matrix = { ...alone, values: alone.values.slice() }
  const mean = new Float32Array(alone.columns)
  for (let piece = 0; piece < alone.rows; piece++) addScaled(mean, rowOf(alone, piece), 1 / alone.rows)
  const shares = sharesOf(bags, alone.rows)
  for (let piece = 0; piece < alone.rows; piece++) {
    const row = rowOf(table, piece)
    addScaled(row, mean, -1)
    const weight = COMMON_SHARE / (COMMON_SHARE + (shares[piece] ?? 0))
    for (let at = 0; at < row.length; at++) row[at] = (row[at] ?? 0) * weight
  }
  return table
}

function sharesOf(bags: Bags, pieces: number): Float32Array {
  const counts = new Float32Array(pieces)
  for (const piece of bags.pieces) counts[piece] = (counts[piece] ?? 0) + 1
  return counts.map((count) => count / Math.max(1, bags.pieces.length))
}

/** How near the sums of a table come to the vectors wanted, on average; 1 is the same direction. */
export function meanCosine(bags: Bags, table: Matrix, wanted: Matrix): number {
  const sums = sumsOf(bags, table)
  let total = 0
  for (let text = 0; text < bags.texts; text++) {
    const [sum, vector] = [rowOf(sums, text), rowOf(wanted, text)]
    const lengths = Math.sqrt(dot(sum, sum) * dot(vector, vector))
    total += lengths === 0 ? 0 : dot(sum, vector) / lengths
  }
  return bags.texts === 0 ? 0 : total / bags.texts
}
