import { parseQuery } from '../../../query/parse-query.ts'
import type { QueryNode } from '../../../query/query.ts'
import { MOST_PATTERNS, MOST_QUERY_CHARACTERS } from '../parameters.ts'
import { splitExclusion } from './request.ts'
import { countPatterns } from './structured-match.ts'

/** A query as far as it can be understood without tools. */
export interface ReadQuery {
  /** As it came, up to the limit. */
  readonly asked: string
  /** The words that it asks for: all of a query without operators, all but the excluded ones of a structured query. */
  readonly text: string
  /** What a query without operators excludes. */
  readonly excluded: string
  /** The conditions of a structured query. */
  readonly root?: QueryNode
}

/** Reads a query, with or without operators. */
export function readQuery(query: string): ReadQuery {
  const asked = query.slice(0, MOST_QUERY_CHARACTERS)
  const { root, structured } = parseQuery(asked)
  if (root === null || !structured || countPatterns(root) > MOST_PATTERNS) {
    const { wanted, excluded } = splitExclusion(asked)
    return { asked, text: wanted, excluded }
  }
  return { asked, text: wantedWords(root, false).join(' '), excluded: '', root }
}

function wantedWords(node: QueryNode, isExcluded: boolean): readonly string[] {
  switch (node.kind) {
    case 'and':
    case 'or':
      return node.children.flatMap((child) => wantedWords(child, isExcluded))
    case 'not':
      return wantedWords(node.child, !isExcluded)
    default:
      return isExcluded ? [] : [node.text]
  }
}
