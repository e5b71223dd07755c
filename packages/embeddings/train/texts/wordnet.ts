import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from '../random.ts'
import { shortened } from './sentences.ts'

/** Words of the same meaning, with the meaning and examples. */
export interface Synset {
  /** The words of one part of speech and field, such as verbs of motion, share this. */
  readonly field: string
  readonly words: readonly string[]
  readonly meaning: string
  readonly examples: readonly string[]
}

/** Adverbs are left out: they rarely help to find a tool. */
const PARTS_OF_SPEECH = ['verb', 'noun', 'adj'] as const

/** The synsets of a folder of WordNet data files that have a common word. */
export function readWordNet(folder: string, isCommon: (word: string) => boolean): readonly Synset[] {
  return PARTS_OF_SPEECH.flatMap((part) => {
    const lines = readFileSync(join(folder, `data.${part}`), 'latin1').split('\n')
    return lines.flatMap((line) => synsetOf(line, part)).filter(({ words }) => words.some(isCommon))
  })
}

/** How many synsets of each part of speech the teacher is asked about: as many as it can read in a few minutes. */
const SHARES = new Map([
  ['verb', 5_000],
  ['noun', 7_000],
  ['adj', 1_500],
])

/** Words with their meaning, and examples of their use. */
export function wordNetTexts(synsets: readonly Synset[], random: Random): readonly string[] {
  const texts = new Set<string>()
  for (const [part, count] of SHARES) {
    const ofPart = synsets.filter(({ field }) => field.startsWith(part))
    for (const { words, meaning, examples } of random.shuffled(ofPart).slice(0, count)) {
      texts.add(shortened(`${words.slice(0, 3).join(', ')}: ${meaning}`, 160))
      if (examples.length > 0) texts.add(shortened(random.pick(examples), 160))
    }
  }
  return [...texts]
}

/** A line: offset, field, kind, count of words in base 16, word and number for each, …, `|`, gloss. */
function synsetOf(line: string, part: string): Synset[] {
  const [head, gloss] = line.split(' | ')
  if (head === undefined || gloss === undefined || line.startsWith(' ')) return []
  const fields = head.split(' ')
  const count = Number.parseInt(fields[3] ?? '0', 16)
  const words = Array.from({ length: count }, (_, nth) => fields[4 + 2 * nth] ?? '')
  const plain = words.map((word) => word.replaceAll('_', ' ').replace(/\((a|p|ip)\)$/, ''))
  const meaning = (gloss.split('; "')[0] ?? '').trim()
  const examples = [...gloss.matchAll(/"([^"]+)"/g)].map(([, example]) => example ?? '').filter(isSentence)
  return [{ field: `${part} ${fields[1] ?? ''}`, words: plain, meaning, examples }]
}

function isSentence(text: string): boolean {
  return text.split(' ').length > 2
}
