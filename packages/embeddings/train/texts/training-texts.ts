import { Random } from '../random.ts'
import { queryTexts } from './query-texts.ts'
import type { ToolRow } from './tool-rows.ts'
import { toolTexts } from './tool-texts.ts'
import { type Synset, wordNetTexts } from './wordnet.ts'

/** What the teacher reads, by kind. */
export interface TrainingTexts {
  readonly tools: readonly string[]
  readonly queries: readonly string[]
  readonly wordNet: readonly string[]
}

/** The most word pieces of a text that the teacher reads: its time grows with them, the result does not. */
export const MOST_PIECES = 36

/** All texts, the same ones for the same seed. */
export function trainingTexts(
  tools: readonly ToolRow[],
  synsets: readonly Synset[],
  pieceCount: (text: string) => number,
  seed: number,
): TrainingTexts {
  const isShort = (text: string) => pieceCount(text) <= MOST_PIECES
  return {
    tools: toolTexts(tools).filter(isShort),
    queries: queryTexts(tools, new Random(seed)).filter(isShort),
    wordNet: wordNetTexts(synsets, new Random(seed + 1)).filter(isShort),
  }
}
