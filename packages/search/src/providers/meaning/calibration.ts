import type { Embedder } from './embedder.ts'
import { checkedVector, checkedVectors } from './checked-vectors.ts'

/** The range of an embedder's cosines: unrelated up to `floor`, the same meaning from `ceiling` on. */
export interface Calibration {
  readonly floor: number
  readonly ceiling: number
}

/** For sets without tools. */
export const NOTHING_MEASURED: Calibration = { floor: 0, ceiling: 1 }

/** Requests and tools that serve them, in pairs; texts of different pairs have nothing in common. */
const PAIRS: readonly (readonly [request: string, tool: string])[] = [
  ['what is the weather like tomorrow', 'weather: get forecast. Returns the weather forecast for a place'],
  ['send a message to my team', 'chat: post message. Posts a message to a channel'],
  ['delete an old file', 'files: remove file. Deletes a file from the disk'],
  ['translate this sentence into French', 'languages: translate text. Translates a text into another language'],
  ['how much did we sell last month', 'shop: sales report. Sums up revenue by month'],
  ['book a table for two', 'restaurants: reserve table. Makes a reservation in a restaurant'],
  ['show me the latest commits', 'git: log. Lists recent commits of a repository'],
  ['resize a picture', 'images: resize image. Changes width and height of an image'],
]
const TEXTS = PAIRS.flat()

/** Unrelated texts may be this many deviations nearer to each other than they are on average. */
const DEVIATIONS = 1.5

/** How a model spreads its cosines differs widely from model to model, so it is measured on a few known pairs. */
export function calibrateNow(embedder: Embedder, embedNow: (text: string) => Float32Array): Calibration {
  return measure(TEXTS.map((text) => checkedVector(embedNow(text), embedder)))
}

/** The same for embedders that have to be waited for. */
export async function calibrate(embedder: Embedder, signal: AbortSignal): Promise<Calibration> {
  const vectors = await embedder.embed(TEXTS, { purpose: 'tool', signal })
  return measure(checkedVectors(vectors, TEXTS.length, embedder))
}

function measure(vectors: readonly Float32Array[]): Calibration {
  const related: number[] = []
  const unrelated: number[] = []
  for (let request = 0; request < PAIRS.length; request++) {
    for (let tool = 0; tool < PAIRS.length; tool++) {
      const cosine = cosineOf(vectors[2 * request] as Float32Array, vectors[2 * tool + 1] as Float32Array)
      ;(request === tool ? related : unrelated).push(cosine)
    }
  }
  const mean = average(unrelated)
  const deviation = Math.sqrt(average(unrelated.map((cosine) => (cosine - mean) ** 2)))
  const floor = mean + DEVIATIONS * deviation
  return { floor, ceiling: Math.max(average(related), floor + 0.05) }
}

function cosineOf(a: Float32Array, b: Float32Array): number {
  let [dot, squaresA, squaresB] = [0, 0, 0]
  for (let i = 0; i < a.length; i++) {
    dot += (a[i] as number) * (b[i] as number)
    squaresA += (a[i] as number) ** 2
    squaresB += (b[i] as number) ** 2
  }
  return squaresA === 0 || squaresB === 0 ? 0 : dot / Math.sqrt(squaresA * squaresB)
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
