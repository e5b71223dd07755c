import { findNodeAtLocation, type Node, parseTree } from 'jsonc-parser'
import type { Style } from './edit-text.ts'

type Path = readonly (string | number)[]

/** Spaces and comments up to the end of a line. */
const REST_OF_LINE = /^[ \t]*(?:\/\*[^\n]*?\*\/[ \t]*)*(?:\/\/[^\r\n]*)?(?=\r?\n|$)/
/** Spaces, line breaks and comments. */
const TRIVIA = /^(?:\s|\/\*[\s\S]*?\*\/|\/\/[^\r\n]*)*/

/** Changes one place of a JSON text with comments. */
export function editJson(text: string, { path, value }: { path: Path; value: unknown }, style: Style): string {
  const tree = parseTree(text, [], { allowTrailingComma: true })
  if (tree === undefined) return value === undefined ? text : newDocument(text, path, value, style)
  const node = findNodeAtLocation(tree, [...path])
  if (value === undefined) return node === undefined ? text : removed(text, childOf(node))
  if (node !== undefined) {
    const shown = rendered(value, indentOf(text, node.offset), style, isOnOneLine(text, node))
    return text.slice(0, node.offset) + shown + text.slice(node.offset + node.length)
  }
  for (let depth = path.length - 1; depth >= 0; depth--) {
    const container = findNodeAtLocation(tree, path.slice(0, depth))
    if (container?.type !== 'object' && container?.type !== 'array') continue
    const [key = '', ...rest] = path.slice(depth)
    return inserted(text, container, key, nested(rest, value), style)
  }
  return text
}

function newDocument(text: string, path: Path, value: unknown, style: Style): string {
  return `${text}${rendered(nested(path, value), '', style, false)}${style.eol}`
}

/** A value inside the objects of a path. */
function nested(path: Path, value: unknown): unknown {
  return path.toReversed().reduce((inside, key) => (typeof key === 'number' ? [inside] : { [key]: inside }), value)
}

/** The property of a value, or the item of a list itself. */
function childOf(node: Node): Node {
  return node.parent?.type === 'property' ? node.parent : node
}

function inserted(text: string, container: Node, key: string | number, value: unknown, style: Style): string {
  const last = container.children?.at(-1)
  const outer = indentOf(text, container.offset)
  const close = container.offset + container.length - 1
  const isInline = last === undefined ? false : isOnOneLine(text, container)
  const indent = last === undefined || isInline ? outer + style.unit : indentOf(text, last.offset)
  const label = typeof key === 'number' ? '' : `${JSON.stringify(key)}: `
  const child = label + rendered(value, indent, style, isInline)
  if (last === undefined) return intoEmpty(text, container.offset + 1, close, child, { outer, indent, eol: style.eol })
  const end = last.offset + last.length
  const beforeComma = end + (TRIVIA.exec(text.slice(end))?.[0].length ?? 0)
  const hasComma = text[beforeComma] === ','
  const from = hasComma ? beforeComma + 1 : end
  const rest = isInline ? '' : (REST_OF_LINE.exec(text.slice(from, close))?.[0] ?? '')
  const comma = hasComma ? '' : ','
  const entry = `${isInline ? ' ' : style.eol + indent}${child}${hasComma ? ',' : ''}`
  return text.slice(0, from) + comma + rest + entry + text.slice(from + rest.length)
}

function intoEmpty(
  text: string,
  open: number,
  close: number,
  child: string,
  { outer, indent, eol }: { readonly outer: string; readonly indent: string; readonly eol: string },
): string {
  const at = open + text.slice(open, close).trimEnd().length
  const tail = text.slice(at, close).includes('\n') ? '' : eol + outer
  return `${text.slice(0, at)}${eol}${indent}${child}${tail}${text.slice(at)}`
}

/** Removes a property or item with its comma, and its line if nothing else is on it. */
function removed(text: string, child: Node): string {
  const siblings = child.parent?.children ?? []
  const previous = siblings[siblings.indexOf(child) - 1]
  let end = child.offset + child.length
  const comma = end + (TRIVIA.exec(text.slice(end))?.[0].length ?? 0)
  const hasComma = text[comma] === ','
  if (hasComma) end = comma + 1
  let start = child.offset
  const lineStart = text.lastIndexOf('\n', start - 1) + 1
  const [rest = ''] = /^[ \t]*\r?\n/.exec(text.slice(end)) ?? []
  if (rest !== '' && text.slice(lineStart, start).trim() === '') {
    start = lineStart
    end += rest.length
  }
  const without = text.slice(0, start) + text.slice(end)
  if (hasComma || previous === undefined) return without
  // The child before is the last one now. Strict JSON allows no comma after it.
  const previousEnd = previous.offset + previous.length
  const at = previousEnd + (TRIVIA.exec(text.slice(previousEnd))?.[0].length ?? 0)
  return text[at] === ',' && at < start ? without.slice(0, at) + without.slice(at + 1) : without
}

function isOnOneLine(text: string, { offset, length }: Node): boolean {
  return !text.slice(offset, offset + length).includes('\n')
}

/** The spaces at the start of the line of a position. */
function indentOf(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset)
  return /^[ \t]*/.exec(line)?.[0] ?? ''
}

function rendered(value: unknown, indent: string, { eol, unit }: Style, isInline: boolean): string {
  if (isInline) return JSON.stringify(value)
  return JSON.stringify(value, undefined, unit).replaceAll('\n', eol + indent)
}
