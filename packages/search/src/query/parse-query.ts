import type { SearchField } from '../tool/tool.ts'
import { lexQuery, type QueryToken } from './lex-query.ts'
import { readsAsProse } from './prose.ts'
import type { ParsedQuery, QueryLeaf, QueryNode } from './query.ts'

/** Longer texts are not expressions. */
const LONGEST_QUERY = 4096
const DEEPEST_NESTING = 50

/** Without any of these a text has no operators; most texts end here. */
const SIGN_OR_OPERATOR = /["()*:“”„‟＂（）：＊]|\b(?:AND|OR|NOT)\b/u

/**
 * Parses a query; never throws. A text that does not parse, or that reads as natural language, is words: one
 * `words` node with the text as it came. `NOT` binds tightest, then `AND`; `OR` and standing side by side are the same.
 */
export function parseQuery(text: string): ParsedQuery {
  if (text.trim() === '') return { root: null, structured: false }
  const mayBeStructured = text.length <= LONGEST_QUERY && SIGN_OR_OPERATOR.test(text)
  const root = mayBeStructured ? parseStructured(text) : undefined
  return root === undefined ? { root: { kind: 'words', text }, structured: false } : { root, structured: true }
}

function parseStructured(text: string): QueryNode | undefined {
  const tokens = lexQuery(text)
  if (tokens === undefined || readsAsProse(tokens)) return undefined
  const parser = new QueryParser(tokens)
  const root = parser.alternatives(undefined)
  return parser.atEnd ? root : undefined
}

/** Recursive descent; every method answers undefined where the tokens do not fit. */
class QueryParser {
  readonly #tokens: readonly QueryToken[]
  #next = 0
  #depth = 0

  constructor(tokens: readonly QueryToken[]) {
    this.#tokens = tokens
  }

  get atEnd(): boolean {
    return this.#next === this.#tokens.length
  }

  /** Conjunctions, side by side or with OR between them. Those that are a NOT and touch no OR exclude from the rest. */
  alternatives(field: SearchField | undefined): QueryNode | undefined {
    const wanted: QueryNode[] = []
    const excluded: QueryNode[] = []
    let afterOr = false
    do {
      const startsWithNot = this.#kind === 'not'
      const node = this.#conjunction(field)
      if (node === undefined) return undefined
      const beforeOr = this.#take('or')
      if (startsWithNot && node.kind === 'not' && !afterOr && !beforeOr) excluded.push(node)
      else if (afterOr || !joinWords(wanted, node)) wanted.push(node)
      afterOr = beforeOr
    } while (afterOr || !(this.atEnd || this.#kind === 'close'))
    const any = group('or', wanted)
    return group('and', any === undefined ? excluded : [any, ...excluded])
  }

  #conjunction(field: SearchField | undefined): QueryNode | undefined {
    const required: QueryNode[] = []
    do {
      const node = this.#operand(field)
      if (node === undefined) return undefined
      required.push(node)
    } while (this.#take('and'))
    return group('and', required)
  }

  #operand(field: SearchField | undefined): QueryNode | undefined {
    if (!this.#take('not')) return this.#term(field)
    const child = this.#term(field)
    return child && { kind: 'not', child }
  }

  #term(field: SearchField | undefined): QueryNode | undefined {
    const token = this.#tokens[this.#next++]
    switch (token?.kind) {
      case 'word':
        return leaf('words', token.text, field)
      case 'phrase':
      case 'prefix':
        return leaf(token.kind, token.text, field)
      case 'field':
        // A field within a field's parentheses has no meaning.
        return field === undefined ? this.#term(token.field) : undefined
      case 'open':
        return this.#parenthesised(field)
      default:
        return undefined
    }
  }

  #parenthesised(field: SearchField | undefined): QueryNode | undefined {
    if (++this.#depth > DEEPEST_NESTING) return undefined
    const node = this.alternatives(field)
    this.#depth--
    return this.#take('close') ? node : undefined
  }

  get #kind(): QueryToken['kind'] | undefined {
    return this.#tokens[this.#next]?.kind
  }

  #take(kind: QueryToken['kind']): boolean {
    if (this.#kind !== kind) return false
    this.#next++
    return true
  }
}

function leaf(kind: QueryLeaf['kind'], text: string, field: SearchField | undefined): QueryLeaf {
  return field === undefined ? { kind, text } : { kind, text, field }
}

/** Words side by side stay one text, so that their neighbourhood is known where they are analysed. */
function joinWords(wanted: QueryNode[], node: QueryNode): boolean {
  const last = wanted.at(-1)
  if (last?.kind !== 'words' || node.kind !== 'words' || last.field !== node.field) return false
  wanted[wanted.length - 1] = { ...last, text: `${last.text} ${node.text}` }
  return true
}

/** One node for several; a group in a group of the same kind is dissolved. */
function group(kind: 'and' | 'or', nodes: readonly QueryNode[]): QueryNode | undefined {
  const children = nodes.flatMap((node) => (node.kind === kind ? node.children : [node]))
  return children.length > 1 ? { kind, children } : children[0]
}
