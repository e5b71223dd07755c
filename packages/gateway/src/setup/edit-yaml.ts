import { isRecord } from '@tooldex/http-kit/json'
import {
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import type { Style } from './edit-text.ts'

type Path = readonly (string | number)[]
type Collection = YAMLMap | YAMLSeq

/** Changes one place of a YAML text. */
export function editYaml(text: string, { path, value }: { path: Path; value: unknown }, style: Style): string {
  const root = parseDocument(text, { keepSourceTokens: true }).contents
  if (!isMap(root)) return value === undefined ? text : appended(text, path, value, style)
  let inside: Collection = root
  for (const [depth, key] of path.entries()) {
    const child = childOf(inside, key)
    const isLast = depth === path.length - 1
    if (child === undefined) {
      if (value === undefined) return text
      if (inside === root && !root.flow) return appended(text, path, value, style)
      return inserted(text, inside, key, nested(path.slice(depth + 1), value), style)
    }
    const node = isPair(child) ? (child.value as Node | null) : child
    if (isLast) return value === undefined ? removed(text, inside, child, style) : replaced(text, child, value, style)
    if (isMap(node) || isSeq(node)) inside = node
    else return replaced(text, child, nested(path.slice(depth + 1), value), style)
  }
  return text
}

function childOf(inside: Collection, key: string | number): Node | Pair | undefined {
  if (isSeq(inside)) return inside.items[Number(key)] as Node | undefined
  return inside.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === String(key))
}

function nested(path: Path, value: unknown): unknown {
  return path.toReversed().reduce((inside, key) => (typeof key === 'number' ? [inside] : { [key]: inside }), value)
}

/** A new key of the whole document. */
function appended(text: string, path: Path, value: unknown, { eol, unit }: Style): string {
  const before = text === '' || text.endsWith('\n') ? text : text + eol
  const whole = nested(path, value) as Readonly<Record<string, unknown>>
  return `${before}${block(whole, '', unit).join(eol)}${eol}`
}

function inserted(text: string, into: Collection, key: string | number, value: unknown, { eol, unit }: Style): string {
  const last = into.items.at(-1) as Node | Pair | undefined
  if (into.flow === true || last === undefined) {
    const [start = 0, end = 0] = into.range ?? []
    const child = typeof key === 'number' ? JSON.stringify(value) : `${JSON.stringify(key)}: ${JSON.stringify(value)}`
    const at = last === undefined ? start + 1 : endOf(last)
    const isClosed = text.slice(at, end).trim().length <= 1
    const separator = last === undefined ? '' : ', '
    return isClosed ? text.slice(0, at) + separator + child + text.slice(at) : text
  }
  const indent = ' '.repeat(columnOf(text, startOf(into, last)))
  const lines = typeof key === 'number' ? listItem(value, indent, unit) : block({ [key]: value }, indent, unit)
  const at = endOfLine(text, endOf(last))
  // A block text ends behind its line break.
  const isAfterBreak = at > 0 && text[at - 1] === '\n'
  const added = isAfterBreak ? `${lines.join(eol)}${eol}` : `${eol}${lines.join(eol)}`
  return text.slice(0, at) + added + text.slice(at)
}

function replaced(text: string, child: Node | Pair, value: unknown, style: Style): string {
  const node = isPair(child) ? (child.value as Node | null) : child
  const key = isPair(child) && isNode(child.key) ? child.key : undefined
  if (!hasRange(node) || isEmptyScalar(node)) {
    const at = text.indexOf(':', key?.range?.[1] ?? 0) + 1
    const indent = ' '.repeat(columnOf(text, key?.range?.[0] ?? 0) + style.unit.length)
    const shown = isRecord(value)
      ? style.eol + block(value, indent, style.unit).join(style.eol)
      : ` ${JSON.stringify(value)}`
    const end = isRecord(value) ? endOfLine(text, at) : at
    return text.slice(0, end) + shown + text.slice(end)
  }
  const [start, end] = node.range
  const isBlock = (isMap(node) || isSeq(node)) && node.flow !== true
  if (!isBlock || !isRecord(value)) return text.slice(0, start) + JSON.stringify(value) + text.slice(end)
  const indent = ' '.repeat(columnOf(text, start))
  const last = node.items.at(-1) as Node | Pair
  const lines = block(value, indent, style.unit).join(style.eol).trimStart()
  return text.slice(0, start) + lines + text.slice(endOf(last))
}

const isEmptyScalar = (node: Ranged): boolean => isScalar(node) && node.range[0] === node.range[1]

type Ranged = Node & { readonly range: readonly [number, number, number] }

/** Whether a node has a place in the text; an empty value has none. */
function hasRange(node: Node | null): node is Ranged {
  return node !== null && node.range !== undefined && node.range !== null
}

function removed(text: string, from: Collection, child: Node | Pair, { eol }: Style): string {
  const index = from.items.indexOf(child as never)
  const end = endOf(child)
  if (from.flow === true) {
    const [previous, next] = [from.items[index - 1], from.items[index + 1]] as (Node | Pair | undefined)[]
    if (previous !== undefined) return text.slice(0, endOf(previous)) + text.slice(end)
    return text.slice(0, startOfChild(child)) + text.slice(next === undefined ? end : startOfChild(next))
  }
  const start = startOf(from, child)
  const lineStart = text.lastIndexOf('\n', start - 1) + 1
  const lineEnd = endOfLine(text, end)
  const rest = text.slice(lineEnd).replace(/^\r?\n/, '')
  const without = text.slice(0, lineStart) + (text[lineEnd - 1] === '\n' ? text.slice(lineEnd) : rest)
  if (from.items.length > 1) return without
  // An empty collection has no lines of its own.
  const before = text.slice(0, lineStart).trimEnd()
  return `${before}${isSeq(from) ? ' []' : ' {}'}${eol}${without.slice(lineStart)}`
}

function startOfChild(child: Node | Pair): number {
  const node = isPair(child) ? (child.key as Node) : child
  return node.range?.[0] ?? 0
}

/** The start of an item: its key, or the dash before it. */
function startOf(inside: Collection, child: Node | Pair): number {
  const start = startOfChild(child)
  return isSeq(inside) ? dashBefore(inside, child, start) : start
}

function dashBefore(inside: YAMLSeq, child: Node | Pair, start: number): number {
  const token = inside.srcToken
  if (token?.type === 'block-seq') {
    const item = token.items[inside.items.indexOf(child)]
    const dash = item?.start.find(({ type }) => type === 'seq-item-ind')
    if (dash !== undefined) return dash.offset
  }
  return start - 2
}

function endOf(child: Node | Pair): number {
  const node = isPair(child) ? ((child.value as Node | null) ?? (child.key as Node)) : child
  if ((isMap(node) || isSeq(node)) && node.flow !== true && node.items.length > 0) {
    return endOf(node.items.at(-1) as Node | Pair)
  }
  return node.range?.[1] ?? 0
}

function columnOf(text: string, offset: number): number {
  return offset - (text.lastIndexOf('\n', offset - 1) + 1)
}

function endOfLine(text: string, from: number): number {
  if (text[from - 1] === '\n') return from
  const end = text.indexOf('\n', from)
  if (end < 0) return text.length
  return text[end - 1] === '\r' ? end - 1 : end
}

/** The lines of a block mapping; nested lists are written in brackets. */
function block(value: Readonly<Record<string, unknown>>, indent: string, unit: string): string[] {
  return Object.entries(value).flatMap(([key, each]) => {
    if (isRecord(each) && Object.keys(each).length > 0)
      return [`${indent}${plain(key)}:`, ...block(each, indent + unit, unit)]
    if (Array.isArray(each) && each.some(isRecord)) {
      return [`${indent}${plain(key)}:`, ...each.flatMap((item) => listItem(item, indent + unit, unit))]
    }
    return [`${indent}${plain(key)}: ${typeof each === 'string' ? plain(each) : JSON.stringify(each)}`]
  })
}

function listItem(value: unknown, indent: string, unit: string): string[] {
  if (!isRecord(value)) return [`${indent}- ${JSON.stringify(value)}`]
  const [first = '', ...rest] = block(value, `${indent}  `, unit)
  return [`${indent}- ${first.trimStart()}`, ...rest]
}

/** A text without quotes where YAML reads it as the same text. */
function plain(text: string): string {
  const isPlain = /^[A-Za-z_][\w./@-]*$/.test(text) && !/^(?:true|false|null|yes|no|on|off|y|n|~)$/i.test(text)
  return isPlain ? text : JSON.stringify(text)
}
