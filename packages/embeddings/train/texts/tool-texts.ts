import { firstSentences, nameWords } from './sentences.ts'
import type { ToolRow } from './tool-rows.ts'

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
