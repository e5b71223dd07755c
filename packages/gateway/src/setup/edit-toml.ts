import { isRecord } from '@tooldex/http-kit/json'
import type { Style } from './edit-text.ts'
import { inlinePairs, type TomlStatement, tomlStatements } from './toml-statements.ts'

type Path = readonly string[]

/** Changes one place of a TOML text. */
export function editToml(
  text: string,
  edit: { readonly path: readonly (string | number)[]; readonly value: unknown },
  { eol }: Style,
): string {
  const path = edit.path.map(String)
  const statements = tomlStatements(text)
  if (edit.value === undefined) return removed(text, path, statements)
  const same = statements.find((each) => each.kind === 'pair' && isSame(each.path, path))
  if (same !== undefined) return spliced(text, same.valueStart, same.valueEnd, inlineValue(edit.value))
  const isTable = statements.some(({ path: known }) => startsWith(known, path))
  if (isTable && isRecord(edit.value)) {
    return editToml(removed(text, path, statements), { path, value: edit.value }, { eol, unit: '' })
  }
  const inline = statements.find((each) => each.kind === 'pair' && startsWith(path, each.path))
  if (inline !== undefined) return intoInline(text, inline, path.slice(inline.path.length), edit.value)
  return isRecord(edit.value)
    ? appended(text, path, edit.value, eol)
    : intoTable(text, path, edit.value, statements, eol)
}

function appended(text: string, path: Path, value: Readonly<Record<string, unknown>>, eol: string): string {
  const pairs = Object.entries(value).map(([key, each]) => `${keyText(key)} = ${inlineValue(each)}`)
  const before = text === '' || text.endsWith('\n') ? text : text + eol
  const gap = before === '' ? '' : eol
  return `${before}${gap}${[`[${path.map(keyText).join('.')}]`, ...pairs].join(eol)}${eol}`
}

/** A key of a table that is written as a header, or by dotted keys. */
function intoTable(
  text: string,
  path: Path,
  value: unknown,
  statements: readonly TomlStatement[],
  eol: string,
): string {
  const parent = path.slice(0, -1)
  const header = statements.find(({ kind, path: known }) => kind === 'table' && isSame(known, parent))
  const dotted = statements.findLast(({ kind, path: known }) => kind === 'pair' && startsWith(known, parent))
  const after = header ?? dotted
  if (after === undefined) return appended(text, parent, { [path.at(-1) ?? '']: value }, eol)
  const key = path.slice(after.table.length).map(keyText).join('.')
  return spliced(text, after.lineEnd, after.lineEnd, `${eol}${key} = ${inlineValue(value)}`)
}

function intoInline(text: string, { valueStart, valueEnd }: TomlStatement, path: Path, value: unknown): string {
  const [key = '', ...rest] = path
  const pairs = inlinePairs(text, valueStart, valueEnd)
  const known = pairs.find(({ path: own }) => isSame(own, [key]))
  if (known !== undefined && rest.length > 0) return intoInline(text, known, rest, value)
  if (known !== undefined) return spliced(text, known.valueStart, known.valueEnd, inlineValue(value))
  const pair = `${path.map(keyText).join('.')} = ${inlineValue(value)}`
  const last = pairs.at(-1)
  if (last === undefined)
    return spliced(text, valueStart + 1, valueStart + 1, ` ${pair}${text[valueStart + 1] === ' ' ? '' : ' '}`)
  return spliced(text, last.valueEnd, last.valueEnd, `, ${pair}`)
}

function removed(text: string, path: Path, statements: readonly TomlStatement[]): string {
  const inline = statements.find(
    ({ kind, path: known }) => kind === 'pair' && known.length < path.length && startsWith(path, known),
  )
  if (inline !== undefined) return outOfInline(text, inline, path.slice(inline.path.length))
  // From the end, so that earlier positions stay valid.
  return statements
    .filter(({ path: known }) => startsWith(known, path))
    .toReversed()
    .reduce((rest, { start, lineEnd, kind }) => withoutLine(rest, start, lineEnd, kind === 'table'), text)
}

function withoutLine(text: string, start: number, lineEnd: number, isTable: boolean): string {
  const end = text.startsWith('\r\n', lineEnd) ? lineEnd + 2 : Math.min(text.length, lineEnd + 1)
  let from = text.lastIndexOf('\n', start - 1) + 1
  // The blank line that separated the table goes with it.
  const [blank = ''] = isTable ? (/(?<=\n)[ \t]*\r?\n$/.exec(text.slice(0, from)) ?? []) : []
  from -= blank.length
  return text.slice(0, from) + text.slice(end)
}

function outOfInline(text: string, { valueStart, valueEnd }: TomlStatement, path: Path): string {
  const [key = '', ...rest] = path
  const pairs = inlinePairs(text, valueStart, valueEnd)
  const index = pairs.findIndex(({ path: own }) => isSame(own, [key]))
  const pair = pairs[index]
  if (pair === undefined) return text
  if (rest.length > 0) return outOfInline(text, pair, rest)
  const [previous, next] = [pairs[index - 1], pairs[index + 1]]
  if (previous !== undefined) return spliced(text, previous.valueEnd, pair.valueEnd, '')
  return spliced(text, pair.start, next === undefined ? pair.valueEnd : next.start, '')
}

function spliced(text: string, from: number, to: number, by: string): string {
  return text.slice(0, from) + by + text.slice(to)
}

function keyText(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key)
}

function inlineValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inlineValue).join(', ')}]`
  if (!isRecord(value)) return JSON.stringify(value)
  const pairs = Object.entries(value).map(([key, each]) => `${keyText(key)} = ${inlineValue(each)}`)
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`
}

const isSame = (one: Path, other: Path): boolean => one.length === other.length && startsWith(one, other)
const startsWith = (path: Path, start: Path): boolean =>
  path.length >= start.length && start.every((key, index) => path[index] === key)
