import type { EligibleTools } from '../access/eligible-tools.ts'
import { charactersOf } from '../catalog/definition-size.ts'

/** Current tokenisers need about one token for four characters of JSON. */
const CHARACTERS_PER_TOKEN = 4

/** The estimated number of tokens of a text. */
export function tokensOfText(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN)
}

/** The estimated number of tokens of a listed tool. */
export function tokensOfTool(definition: object): number {
  return Math.ceil(charactersOf(definition) / CHARACTERS_PER_TOKEN)
}

/** Estimates the tokens of tools in a model's context. */
export class TokenEstimate {
  readonly #ofTools = new WeakMap<object, number>()

  /** Tokens of one listed tool. */
  ofTool(definition: object): number {
    return tokensOfTool(definition)
  }

  /** Tokens of a list of all eligible tools. */
  ofWhole(tools: Pick<EligibleTools, 'list'>): number {
    const known = this.#ofTools.get(tools)
    if (known !== undefined) return known
    let tokens = 0
    for (const { definition } of tools.list) tokens += this.ofTool(definition)
    this.#ofTools.set(tools, tokens)
    return tokens
  }

  /** Tokens of a list that a client receives. */
  ofListing(tools: readonly object[]): number {
    return tools.reduce((sum, tool) => sum + this.ofTool(tool), 0)
  }
}
