import type { Explanation } from '../search-provider.ts'

const LONGEST_QUOTE = 60

/** A query that a tool means, and in which English words it was read, if it is in another language. */
export interface MeantQuery {
  readonly text: string
  readonly english?: string
}

/** An explanation of what a tool means as well as of what it contains. */
export function withMeaning(explanation: Explanation, meant: readonly MeantQuery[]): Explanation {
  const parts = meant.map(({ text, english }) => {
    const read = english === undefined ? '' : ` → "${shortened(english)}"`
    return `means "${shortened(text.trim())}"${read}`
  })
  if (explanation.matches.length > 0) parts.push(`contains ${explanation.text}`)
  return { ...explanation, text: parts.join('; ') || 'similar in meaning' }
}

function shortened(text: string): string {
  return text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text
}
