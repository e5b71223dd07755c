import { parseQuery, type QueryNode } from '@tooldex/search'

/**
 * The parsed form of a query without its words, for debug logs: `name:words(1) AND NOT phrase(2)`. Queries are arguments
 * of a caller, which are never logged.
 */
export function queryShape(query: string): string {
  const { root, structured } = parseQuery(query)
  if (root === null) return 'blank'
  return structured ? shapeOf(root, false) : `plain ${shapeOf(root, false)}`
}

function shapeOf(node: QueryNode, isInside: boolean): string {
  switch (node.kind) {
    case 'and':
    case 'or': {
      const joined = node.children.map((child) => shapeOf(child, true)).join(node.kind === 'and' ? ' AND ' : ' OR ')
      return isInside ? `(${joined})` : joined
    }
    case 'not':
      return `NOT ${shapeOf(node.child, true)}`
    case 'words':
    case 'phrase':
    case 'prefix':
      return `${node.field === undefined ? '' : `${node.field}:`}${node.kind}(${wordCount(node.text)})`
  }
}

function wordCount(text: string): number {
  return text.split(/\s+/u).filter((word) => word !== '').length
}
