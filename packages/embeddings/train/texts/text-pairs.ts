import { firstSentences, nameWords } from './sentences.ts'
import type { ToolRow } from './tool-rows.ts'

/** Two texts that mean the same; those of a group are easily mistaken for each other. */
export interface TextPair {
  readonly one: string
  readonly other: string
  readonly group: string
}

/** Shorter descriptions add nothing to the name. */
const SHORTEST_DESCRIPTION = 16

/** The name of each tool with its description; tools of one server are easily mistaken. */
export function toolPairs(tools: readonly ToolRow[]): readonly TextPair[] {
  return tools
    .filter(({ description }) => description.length >= SHORTEST_DESCRIPTION)
    .map(({ name, description, server }) => ({
      one: nameWords(name),
      other: firstSentences(description, 3, 300),
      group: server,
    }))
}
