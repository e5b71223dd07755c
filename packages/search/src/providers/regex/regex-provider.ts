import { ToolSearchError } from '../../errors.ts'
import type { IndexedTool } from '../../tool/tool.ts'
import { ScanProvider } from '../scan-provider.ts'
import { LiteralMatcher } from './literal-matcher.ts'
import { PatternMatcher } from './pattern-matcher.ts'
import { RegexQuery } from './regex-query.ts'
import { type RegexText, readRegexText } from './regex-text.ts'
import type { TextMatcher } from './text-matcher.ts'

/** How a `RegexProvider` limits itself. */
export interface RegexProviderOptions {
  /** Milliseconds that one search may take. Default 500: an ordinary pattern needs a tenth of it at 20,000 tools. */
  readonly timeLimitMs?: number
  /** The clock, in milliseconds. Default `Date.now`. */
  readonly now?: () => number
}

/**
 * Finds tools by regular expression (RE2 syntax, ignoring case) in name, title, server, parameter names, tags and
 * description. A query of more than 200 characters, one that does not compile and one that compiles to something huge
 * are looked for as they stand.
 *
 * Linear time is not little time: a pattern made to be slow rejects with SEARCH_UNAVAILABLE at the time limit, since
 * part of an answer would be a wrong one.
 */
export class RegexProvider extends ScanProvider<RegexText> {
  readonly strategy = 'regex'
  readonly #timeLimitMs: number
  readonly #now: () => number

  constructor(options: RegexProviderOptions = {}) {
    super()
    this.#timeLimitMs = options.timeLimitMs ?? 500
    this.#now = options.now ?? Date.now
  }

  protected override read(tool: IndexedTool): RegexText {
    return readRegexText(tool)
  }

  protected override prepare(queries: readonly string[]): readonly (readonly RegexQuery[])[] {
    const end = this.#now() + this.#timeLimitMs
    const checkTime = () => {
      if (this.#now() > end) throw tooSlow(this.#timeLimitMs)
    }
    return queries.map((query) => [new RegexQuery(query, matcherFor(query), checkTime)])
  }
}

/** Words mean the same with and without the engine; without it is faster. */
function matcherFor(query: string): TextMatcher {
  if (/^[\w :/-]+$/.test(query)) return new LiteralMatcher(query)
  return PatternMatcher.compile(query) ?? new LiteralMatcher(query)
}

function tooSlow(timeLimitMs: number): ToolSearchError {
  const reason = `the pattern takes longer than ${timeLimitMs} ms over these tools; a plainer one will do`
  return new ToolSearchError('SEARCH_UNAVAILABLE', { reason })
}
