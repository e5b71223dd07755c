const EXPRESSION = /\{[^{}]*\}/u

/** A URI template (RFC 6570), as far as telling which URIs it could have made. */
export class UriTemplate {
  /** What stands between the expressions. */
  readonly #literals: readonly string[]

  constructor(text: string) {
    this.#literals = text.split(EXPRESSION)
  }

  /** How much of a URI the template fixes: the more, the better it knows the URI that it matches. */
  get literalLength(): number {
    return this.#literals.reduce((sum, literal) => sum + literal.length, 0)
  }

  /**
   * Whether the template could have made the URI: its fixed parts occur in order, first and last at the ends. What stands
   * between is not looked at, so that no template can make matching slow.
   */
  matches(uri: string): boolean {
    const [first = '', ...others] = this.#literals
    const last = others.pop()
    if (last === undefined) return uri === first
    if (!uri.startsWith(first) || !uri.endsWith(last)) return false
    const end = uri.length - last.length
    let at = first.length
    for (const literal of others) {
      const found = uri.indexOf(literal, at)
      if (found < 0) return false
      at = found + literal.length
    }
    return at <= end
  }
}
