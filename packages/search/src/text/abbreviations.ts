import { ABBREVIATIONS } from './abbreviation-table.ts'

/** What an abbreviation stands for: for each word of it the alternatives, likeliest first. */
export type Expansion = readonly (readonly string[])[]

const READ: ReadonlyMap<string, Expansion> = new Map(
  Object.entries(ABBREVIATIONS).map(([short, long]) => [short, long.split('+').map((word) => word.split('/'))]),
)

/** What a word (normalised, not stemmed) is short for. */
export function expansionOf(word: string): Expansion | undefined {
  return READ.get(word)
}

/** The text with its abbreviations written out, for models that know words. */
export function expandAbbreviations(text: string): string {
  return text.replace(/[\p{L}\p{N}]+/gu, (word) => {
    const expansion = READ.get(word.toLowerCase())
    return expansion === undefined ? word : expansion.map(([first = '']) => first).join(' ')
  })
}
