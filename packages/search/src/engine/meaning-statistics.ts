import { type CatalogNearness, Deviation } from '../providers/meaning/meaning-scores.ts'
import { CLAUSE_SHARE } from '../providers/meaning/parameters.ts'
import { COSINE_ONE } from '../vectors/vector-rows.ts'

/** How near the tools of a catalog are to the wanted vectors, as cosines. */
export interface MeaningStatistics {
  /** Over all tools. */
  readonly tools: CosineMoments
  /** The same over the mean of each server, as often as the server has tools. */
  readonly servers: CosineMoments
  /** By server of the candidates, as `WordStatistics` has them: the mean of its tools for each vector. */
  readonly ofServer: ReadonlyMap<string, Float64Array>
}

/** Mean and spread of cosines. */
export interface CosineMoments {
  /** For each vector. */
  readonly means: Float64Array
  /** For each pair of vectors, row by row. */
  readonly covariances: Float64Array
}

/** How near all tools are to a query, from the statistics of its vectors. */
export function catalogNearness({ tools, servers, ofServer }: MeaningStatistics): CatalogNearness {
  const deviation = deviationOf(servers)
  return {
    deviation: deviationOf(tools),
    ofServer: (key) => {
      const cosines = ofServer.get(key)
      return cosines === undefined ? 0 : deviation.of(nearnessOfAll(cosines))
    },
  }
}

function deviationOf(moments: CosineMoments): Deviation {
  const { mean, variance } = nearnessMoments(moments)
  return new Deviation(mean, variance)
}

/** The nearness of the whole of a query and of its clauses as one, as it is for tools, in parts of `COSINE_ONE`. */
function nearnessOfAll(cosines: ArrayLike<number>): number {
  const whole = cosines[0] as number
  if (cosines.length === 1) return whole * COSINE_ONE
  let best = Number.NEGATIVE_INFINITY
  for (let clause = 1; clause < cosines.length; clause++) best = Math.max(best, cosines[clause] as number)
  return (whole + CLAUSE_SHARE * (best - whole)) * COSINE_ONE
}

const DRAWS = 400

/**
 * Mean and variance of `nearnessOfAll` over a catalog. Exact for a query without clauses; the best of several clauses
 * is estimated, as if the cosines were normally distributed, by the same few hundred draws every time.
 */
function nearnessMoments({ means, covariances }: CosineMoments): { mean: number; variance: number } {
  const size = means.length
  if (size === 1) {
    return { mean: (means[0] as number) * COSINE_ONE, variance: (covariances[0] as number) * COSINE_ONE ** 2 }
  }
  const root = squareRoot(covariances, size)
  const random = normals(size)
  const cosines = new Float64Array(size)
  let [sum, squares] = [0, 0]
  for (let draw = 0; draw < DRAWS; draw++) {
    for (let row = 0; row < size; row++) {
      let value = means[row] as number
      for (let at = 0; at <= row; at++)
        value += (root[row * size + at] as number) * (random[draw * size + at] as number)
      cosines[row] = value
    }
    const nearness = nearnessOfAll(cosines)
    sum += nearness
    squares += nearness * nearness
  }
  return { mean: sum / DRAWS, variance: squares / DRAWS - (sum / DRAWS) ** 2 }
}

/** The lower triangle whose product with itself is the matrix (Cholesky). */
function squareRoot(matrix: Float64Array, size: number): Float64Array {
  const root = new Float64Array(size * size)
  for (let row = 0; row < size; row++) {
    for (let column = 0; column <= row; column++) {
      let rest = matrix[row * size + column] as number
      for (let at = 0; at < column; at++) {
        rest -= (root[row * size + at] as number) * (root[column * size + at] as number)
      }
      const diagonal = root[column * size + column] as number
      // Clauses that say the same leave nothing, or by rounding less than nothing.
      if (row === column) root[row * size + row] = Math.sqrt(Math.max(0, rest))
      else root[row * size + column] = diagonal < 1e-9 ? 0 : rest / diagonal
    }
  }
  return root
}

/** Normally distributed numbers, always the same, each followed by its opposite so that their mean is 0. */
function normals(size: number): Float64Array {
  const numbers = new Float64Array(DRAWS * size)
  let state = 0x2545_f491
  const uniform = (): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return ((state >>> 0) + 1) / 2 ** 32
  }
  for (let draw = 0; draw < DRAWS; draw += 2) {
    for (let at = 0; at < size; at++) {
      const number = Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())
      numbers[draw * size + at] = number
      numbers[(draw + 1) * size + at] = -number
    }
  }
  return numbers
}
