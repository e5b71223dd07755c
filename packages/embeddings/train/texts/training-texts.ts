import { Random } from '../random.ts'
import { queryTexts } from './query-texts.ts'
import { firstSentences, nameWords } from './sentences.ts'
import type { ToolRow } from './tool-rows.ts'
import { type Synset, wordNetTexts } from './wordnet.ts'

/** The texts for the teacher, by kind. */
interface TrainingTexts {
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

/** The texts of a catalog's tools, in the forms in which they are searched: name and description, name, server. */
export function toolTexts(tools: readonly ToolRow[]): readonly string[] {
  const texts = new Set<string>()
  for (const tool of tools) {
    const name = nameWords(tool.name)
    texts.add(`${name}. ${firstSentences(tool.description, 3, 220)}`)
    texts.add(name)
    texts.add(firstSentences(tool.serverDescription, 2, 220))
  }
  texts.delete('')
  return [...texts]
}
