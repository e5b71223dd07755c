import type { ConfigProblem } from '@tooldex/contract'
import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'

/** A parsed configuration file, not checked yet. */
export interface ConfigText {
  readonly value: unknown
  readonly problems: readonly ConfigProblem[]
  /** The location of a problem in the file. */
  readonly locate: (problem: ConfigProblem) => Location
}

/** Line and column, starting at 1. */
export interface Location {
  readonly line: number
  readonly column: number
}

interface PlacedProblem extends ConfigProblem {
  readonly offset?: number
}

/** Parses JSON with comments and trailing commas. Syntax errors are problems with a location. */
export function readConfigText(text: string): ConfigText {
  const plain = text.replace(/^\uFEFF/, '')
  const errors: ParseError[] = []
  const tree = parse(plain, errors)
  // What the parser says about a place after the first error there is a consequence of it.
  const first = errors.filter(({ offset }, index) => errors.findIndex((other) => other.offset === offset) === index)
  const problems: PlacedProblem[] = first.map(({ error, offset }) => ({
    path: [],
    message: syntaxSentence(printParseErrorCode(error)),
    offset,
  }))
  const value = tree === undefined ? {} : valueOf(tree, [], problems)
  return {
    value,
    problems,
    locate: (problem: PlacedProblem) => lineAndColumn(plain, problem.offset ?? offsetOf(tree, problem)),
  }
}

function parse(text: string, errors: ParseError[]): Node | undefined {
  try {
    return parseTree(text, errors, { allowTrailingComma: true })
  } catch (error) {
    // The parser is recursive: deep nesting overflows the stack.
    if (!(error instanceof RangeError)) throw error
    errors.push({ error: 1, offset: 0, length: 0 })
    return undefined
  }
}

/** The value of a node. Unlike `getNodeValue`, reports duplicate keys and `__proto__`. */
function valueOf(node: Node, path: readonly (string | number)[], problems: PlacedProblem[]): unknown {
  if (node.type === 'array')
    return (node.children ?? []).map((child, index) => valueOf(child, [...path, index], problems))
  if (node.type !== 'object') return node.value as unknown
  const entries = new Map<string, unknown>()
  for (const property of node.children ?? []) {
    const [keyNode, valueNode] = property.children ?? []
    if (keyNode === undefined || valueNode === undefined) continue
    const key = String(keyNode.value)
    const place = [...path, key]
    if (key === '__proto__') {
      problems.push({ path: place, message: 'this name cannot be used', isKey: true, offset: keyNode.offset })
    } else {
      if (entries.has(key))
        problems.push({ path: place, message: 'is given twice', isKey: true, offset: keyNode.offset })
      entries.set(key, valueOf(valueNode, place, problems))
    }
  }
  return Object.fromEntries(entries)
}

/** The offset of a key or value; if it is missing, of the nearest enclosing node. */
function offsetOf(tree: Node | undefined, { path, isKey }: ConfigProblem): number {
  if (tree === undefined) return 0
  for (let length = path.length; length >= 0; length--) {
    const node = findNodeAtLocation(tree, path.slice(0, length))
    if (node === undefined) continue
    const property = node.parent?.type === 'property' ? node.parent : undefined
    return isKey === true && length === path.length ? (property?.offset ?? node.offset) : node.offset
  }
  return 0
}

function lineAndColumn(text: string, offset: number): Location {
  const before = text.slice(0, offset)
  return { line: before.split('\n').length, column: offset - (before.lastIndexOf('\n') + 1) + 1 }
}

/** `CommaExpected` → "not valid JSON: comma expected" */
function syntaxSentence(code: string): string {
  return `not valid JSON: ${code.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()}`
}
