import type { Explanation } from '../../search-provider.ts'

const LONGEST_QUOTE = 60

/** An explanation that says what a tool means as well as what it contains. */
export function withMeaning(explanation: Explanation, meant: readonly string[]): Explanation {
  const parts = meant.map((text) => `means "${shortened(text.trim())}"`)
  if (explanation.matches.length > 0) parts.push(`contains ${explanation.text}`)
  return { ...explanation, text: parts.join('; ') || 'has to do with it, as far as its meaning tells' }
}

function shortened(text: string): string {
  return text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text
}
