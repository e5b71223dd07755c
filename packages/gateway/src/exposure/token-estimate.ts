import type { EligibleTools } from '../access/eligible-tools.ts'

/** Tokenisers of today's models make about one token of four characters of JSON. */
const CHARACTERS_PER_TOKEN = 4

/** Tokens of a text that a model reads, about. */
export function tokensOfText(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN)
}

/** Estimates what tools cost in a model's context. Definitions do not change, so each is measured once. */
export class TokenEstimate {
  readonly #ofDefinition = new WeakMap<object, number>()
  readonly #ofList = new WeakMap<object, number>()

  /** Tokens of one tool as it is listed. */
  ofTool(definition: object): number {
    const known = this.#ofDefinition.get(definition)
    if (known !== undefined) return known
    const tokens = tokensOfText(JSON.stringify(definition))
    this.#ofDefinition.set(definition, tokens)
    return tokens
  }

  /** Tokens of all eligible tools, were they listed whole. */
  ofWhole({ list }: Pick<EligibleTools, 'list'>): number {
    const known = this.#ofList.get(list)
    if (known !== undefined) return known
    let tokens = 0
    for (const { definition } of list) tokens += this.ofTool(definition)
    this.#ofList.set(list, tokens)
    return tokens
  }

  /** Tokens of a list as a client gets it. */
  ofListing(tools: readonly object[]): number {
    return tools.reduce((sum, tool) => sum + this.ofTool(tool), 0)
  }
}
